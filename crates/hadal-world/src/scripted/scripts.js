// Scripts of the scripted sites. `SITE` is the path of the site, `KIND` its kind, `OTHER` the start of URLs of another site.
const app = document.getElementById('app');
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
const results = make('section', { class: 'results' });
const show = (items, keep) => {
  const list = items.map(item => make('article', {}, make('a', { href: item.url }, item.title), make('p', {}, item.text)));
  keep ? results.append(...list) : results.replaceChildren(...list);
};
const searchBox = label => make('input', { type: 'search', placeholder: label, 'aria-label': label });
const afterPause = (run, wait) => {
  let timer;
  return () => { clearTimeout(timer); timer = setTimeout(run, wait); };
};
const onEnter = (box, run) => box.addEventListener('keydown', event => { if (event.key === 'Enter') run(); });
const post = (url, body, method = 'POST') =>
  fetch(url, { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }).then(answer => answer.json());

const kinds = {
  // A plain form that only a script shows.
  'client-form': () => {
    app.append(make('form', { action: SITE + 'find', role: 'search' },
      make('label', {}, 'Search the catalogue ', make('input', { type: 'search', name: 'q' })),
      make('button', {}, 'Search')));
  },
  // Search while words are typed; pages by number.
  'typing': () => {
    const box = searchBox('Search books');
    const find = async () => {
      const answer = await fetch(`${SITE}api/search?q=${encodeURIComponent(box.value)}&page=1`);
      show((await answer.json()).items);
    };
    box.addEventListener('input', afterPause(find, 200));
    app.append(make('header', { role: 'search' }, box), results);
  },
  // Search by Enter; pages by offset, loaded as the reader scrolls.
  'scroll': () => {
    const box = searchBox('Find recipes');
    let offset = 0, words = '', isLoading = false;
    const load = async () => {
      isLoading = true;
      const answer = await (await fetch(`${SITE}api/items?text=${encodeURIComponent(words)}&offset=${offset}&limit=10`)).json();
      show(answer.results, offset > 0);
      offset += answer.results.length;
      isLoading = answer.results.length < 10;
    };
    onEnter(box, () => { words = box.value; offset = 0; load(); });
    addEventListener('scroll', () => {
      if (!isLoading && words && innerHeight + scrollY > document.body.scrollHeight - 50) load();
    });
    app.append(make('div', { class: 'search-bar' }, box), results);
  },
  // Posted JSON; pages by cursor.
  'cursor': () => {
    const box = searchBox('Search jobs');
    const button = make('button', { type: 'button' }, 'Search');
    button.onclick = async () => show((await post(SITE + 'api/query', { text: box.value, cursor: null, size: 10 })).hits);
    app.append(make('div', { class: 'job-search' }, box, button), results);
  },
  // GraphQL; pages by cursor.
  'graphql': () => {
    const box = searchBox('Search articles');
    const query = 'query Find($term: String!, $after: String) { find(term: $term, after: $after) '
      + '{ edges { node { id title text url } } pageInfo { hasNextPage endCursor } } }';
    const find = async () => {
      const answer = await post(SITE + 'graphql', { operationName: 'Find', query, variables: { term: box.value, after: null } });
      show(answer.data.find.edges.map(edge => edge.node));
    };
    app.append(make('form', { role: 'search', id: 'find' }, box), results);
    document.getElementById('find').onsubmit = event => { event.preventDefault(); find(); };
    post(SITE + 'graphql', { query: '{ menu { title } }' });
  },
  // A file with all records that the script searches.
  'static-index': async () => {
    const box = searchBox('Search the handbook');
    app.append(make('div', { role: 'search' }, box), results);
    const records = await (await fetch(SITE + 'records.json')).json();
    box.addEventListener('keyup', () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      const found = records.filter(record => words.every(word => `${record.title} ${record.text}`.toLowerCase().includes(word)));
      results.replaceChildren(`${found.length} matches`);
      show(found.slice(0, 20), true);
    });
  },
  // A box in a closed shadow tree; the answer is HTML inside JSON.
  'shadow': () => {
    customElements.define('site-search', class extends HTMLElement {
      connectedCallback() {
        const root = this.attachShadow({ mode: 'closed' });
        const box = searchBox('Search products');
        const button = make('button', {}, 'Search');
        button.onclick = async () => {
          const body = new URLSearchParams({ words: box.value });
          const answer = await fetch(SITE + 'lookup', { method: 'POST', body });
          results.innerHTML = (await answer.json()).html;
        };
        root.append(box, button);
      }
    });
    app.append(make('site-search'), results);
  },
  // A box behind an icon; words in the path; a header line that the server asks for.
  'path': () => {
    const opener = make('button', { 'aria-label': 'Open search', class: 'icon' }, '\u{1f50d}');
    opener.onclick = () => {
      const box = searchBox('Search films');
      onEnter(box, async () => {
        const url = `${SITE}api/find/${encodeURIComponent(box.value)}?page=1`;
        show((await (await fetch(url, { headers: { 'X-Requested-With': 'fetch' } })).json()).items);
      });
      opener.replaceWith(make('div', { role: 'search' }, box));
    };
    app.append(opener, results);
  },
  // A view behind an entry of a list, and a box behind an icon of the view.
  'views': () => {
    const view = make('div', {});
    const entry = make('div', { style: 'cursor: pointer' }, 'City library');
    const leave = make('a', { href: '/views/forbidden/away' }, 'Search elsewhere');
    const remove = make('span', { style: 'cursor: pointer' }, 'Delete library');
    remove.onclick = () => fetch(SITE + 'forbidden/delete');
    entry.onclick = () => {
      location.hash = 'library';
      const icon = make('a', { title: 'Search for books' }, make('i', { class: 'icon-magnifier' }, 'o'));
      icon.addEventListener('click', () => view.append(box));
      view.append(icon);
    };
    const box = searchBox('Search for books');
    onEnter(box, async () => {
      const answer = await fetch(`${SITE}api/search?q=${encodeURIComponent(box.value)}&page=1`);
      show((await answer.json()).items);
    });
    app.append(remove, leave, entry, view, results);
  },
  // The same script on another site.
  'foreign': () => kinds.typing(),
  // A search service on another site.
  'service': () => {
    const box = searchBox('Search the shop');
    onEnter(box, async () => show((await post(OTHER + '/service/api/query', { text: box.value, cursor: null })).hits));
    app.append(make('div', { role: 'search' }, box), results);
    post(OTHER + '/service/forbidden/event', { event: 'view' });
    fetch(OTHER + '/service/forbidden/settings');
  },
  // A header line with the token of the page.
  'token': () => {
    const box = searchBox('Search the archive');
    const token = document.querySelector('meta[name=csrf-token]').content;
    onEnter(box, async () => {
      const url = `${SITE}api/search?q=${encodeURIComponent(box.value)}&page=1`;
      show((await (await fetch(url, { headers: { 'X-CSRF-Token': token } })).json()).items);
    });
    app.append(make('div', { role: 'search' }, box), results);
  },
  // A field for each chosen column.
  'added-fields': () => {
    const choice = document.getElementById('add');
    choice.onchange = () => {
      if (!choice.value) return;
      const label = choice.options[choice.selectedIndex].text;
      const field = choice.value === 'title' ? make('input', { type: 'text', name: 'title' })
        : make('select', { name: choice.value }, make('option', { value: '' }, 'any'));
      document.getElementById('rows').append(make('label', {}, label + ' contains ', field));
    };
  },
  // No searches. A visit may not send what these scripts send.
  'newsletter': () => {
    const box = make('input', { type: 'text', name: 'email', placeholder: 'Your e-mail address' });
    const button = make('button', { type: 'button' }, 'Subscribe');
    button.onclick = () => post(SITE + 'forbidden/subscribe', { email: box.value });
    box.addEventListener('input', () => post(SITE + 'forbidden/subscribe', { email: box.value }));
    app.append(make('div', { class: 'newsletter' }, make('h2', {}, 'Newsletter'), box, button));
  },
  'login': () => {
    const form = make('form', { method: 'post', action: SITE + 'forbidden/login' },
      make('label', {}, 'User name ', make('input', { name: 'user' })),
      make('label', {}, 'Password ', make('input', { name: 'password', type: 'password' })), make('button', {}, 'Log in'));
    app.append(form);
  },
  'mutation': () => {
    const box = searchBox('Search your notes');
    const query = 'mutation Save($text: String!) { save(text: $text) { id } }';
    const save = () => {
      post(SITE + 'forbidden/graphql', { query, variables: { text: box.value } });
      post(SITE + 'forbidden/note', { text: box.value }, 'PUT');
      fetch(SITE + 'forbidden/note?text=' + box.value, { method: 'DELETE' });
    };
    box.addEventListener('input', save);
    app.append(make('div', { role: 'search' }, box), results);
  },
  'filter': () => {
    const box = make('input', { placeholder: 'Filter this table', 'aria-label': 'Filter' });
    const rows = ['Monday', 'Tuesday', 'Friday'].map(day => make('li', {}, day));
    box.addEventListener('input', () => rows.forEach(row => { row.hidden = !row.textContent.includes(box.value); }));
    app.append(box, make('ul', {}, ...rows));
  },
  'contact': () => {
    const form = make('form', { method: 'post', action: SITE + 'forbidden/contact' },
      make('input', { name: 'name', placeholder: 'Your name' }), make('input', { name: 'email', placeholder: 'E-mail' }),
      make('textarea', { name: 'message', placeholder: 'Message' }), make('button', {}, 'Send message'));
    app.append(form);
    post(SITE + 'forbidden/visit', { page: location.href });
  },
};
kinds[KIND]();
