"""The errors the library raises: one tree, each message with the offending input and what was expected."""


class GammonError(Exception):
    """Base of every error raised on purpose; the command line prints it as one line and exits with 2."""


class InvalidPositionError(GammonError):
    """A board, score or cube that cannot occur."""


class InvalidNotationError(GammonError):
    """Text that is not a play, a position ID, a match ID, an XGID or a player name."""


class IllegalPlayError(GammonError):
    """A play that is understood but not allowed with this roll on this board."""


class ConfigError(GammonError):
    """A training configuration with an unknown key or an impossible value."""


class ModelFileError(GammonError):
    """A model file that is unreadable, damaged, too new, made for something else, or cannot be written."""


class RunError(GammonError):
    """A training run that cannot start, continue or be exported."""


class PlayerUnavailableError(GammonError):
    """A player that cannot be had on this machine, such as an engine that is not installed."""


class DatabaseFileError(GammonError):
    """A database file that is missing, damaged, of another version, or cannot be written."""


class MatchTableError(GammonError):
    """A match equity table that is unreadable, or whose numbers cannot be one."""


class TableError(GammonError):
    """A table that cannot be set up, read or continued: impossible options, a damaged or impossible record."""


class IllegalActionError(TableError):
    """An action that is understood but not allowed at this table now; the message says what is."""


class MatFileError(TableError):
    """A `.mat` file that cannot be read, with the line where it goes wrong; or a match that such a file cannot hold."""


class SgfFileError(TableError):
    """An `.sgf` file that cannot be read, with the line where it goes wrong."""
