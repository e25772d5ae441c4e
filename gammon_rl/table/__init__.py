"""One table: options, phases, actions and events, dice, record, undo; the referee for people and bots."""
