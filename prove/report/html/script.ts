/** The filters. Without it the page is the same, whole. */
export const SCRIPT = `
(() => {
  const byId = (id) => document.getElementById(id);
  const form = byId('filters');
  const rows = [...document.querySelectorAll('tr.probe')].map((row) => ({
    row,
    group: row.parentElement.dataset.group,
    text: row.textContent.toLowerCase(),
    cells: [...row.querySelectorAll('td')].map((cell) => [cell.dataset.column, cell.dataset.status]),
  }));
  const fits = ({ group, text, cells }, wanted) =>
    (!wanted.group || group === wanted.group) &&
    wanted.words.every((word) => text.includes(word)) &&
    (!wanted.status || cells.some(([column, status]) => status === wanted.status && isMeant(column, wanted)));
  // Everything leaks with nothing around it, so the control counts only when it is asked for.
  const isMeant = (column, { launcher, controlAlone }) =>
    launcher ? column === launcher : column !== '0' || controlAlone;
  const controlAlone = document.querySelectorAll('thead th[data-column]').length === 1;
  const show = () => {
    const wanted = {
      words: byId('words').value.toLowerCase().split(/\\s+/).filter(Boolean),
      group: byId('group').value,
      status: byId('status').value,
      launcher: byId('launcher').value,
      controlAlone,
    };
    for (const one of rows) one.row.hidden = !fits(one, wanted);
    for (const body of document.querySelectorAll('tbody'))
      body.hidden = !body.querySelector('tr.probe:not([hidden])');
    for (const cell of document.querySelectorAll('[data-column]'))
      cell.hidden = wanted.launcher !== '' && cell.dataset.column !== wanted.launcher;
    const count = rows.filter(({ row }) => !row.hidden).length;
    byId('count').textContent = count + ' of ' + rows.length + ' probes';
    byId('none').hidden = count > 0;
    document.querySelector('.scroll').hidden = count === 0;
  };
  form.hidden = false;
  form.addEventListener('input', show);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(show));
  // On paper nothing can be opened.
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('tr.probe:not([hidden]) details:not([open])')];
    for (const one of opened) one.open = true;
  });
  addEventListener('afterprint', () => {
    for (const one of opened) one.open = false;
  });
  show();
})();
`;
