// Keys on the page of an analysis. It stands within the page, so no less-than sign and no ampersand may be in here.
document.documentElement.classList.add('scripted');
const decisions = Array.from(document.querySelectorAll('.turns summary'));
const errors = decisions.filter((one) => one.querySelector('.error, .blunder'));
let at = null;

function open(summary) {
  if (at !== null) at.parentNode.open = false;
  at = summary;
  at.parentNode.open = true;
  at.focus({ preventScroll: true });
  at.parentNode.scrollIntoView({ block: 'nearest' });
  at.scrollIntoView({ block: 'nearest' });
}

function next(list) {
  const from = decisions.indexOf(at);
  return list.find((one) => decisions.indexOf(one) > from);
}

function previous(list) {
  const from = at === null ? decisions.length : decisions.indexOf(at);
  return list.filter((one) => from > decisions.indexOf(one)).pop();
}

function follow() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target !== null) if (target.tagName === 'DETAILS') open(target.querySelector('summary'));
}

decisions.forEach((one) => one.addEventListener('focus', () => { at = one; }));
addEventListener('hashchange', follow);
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') {
    if (at !== null) at.parentNode.open = false;
    return;
  }
  const steps = { j: [next, decisions], k: [previous, decisions], n: [next, errors], p: [previous, errors] };
  if (!Object.hasOwn(steps, event.key)) return;
  event.preventDefault();
  const [step, list] = steps[event.key];
  const found = step(list);
  if (found) open(found);
});
follow();
