// Runs in an isolated world of the rendered page. Returns an object with the functions that hadal calls.
(() => {
  const MAX_NODES = 60000, MAX_CHARS = 4000000, FIRST_MARK = 1900000000, MAX_BOXES = 200, MAX_CONTROLS = 300;
  const VOID = new Set(['AREA', 'BASE', 'BR', 'COL', 'EMBED', 'HR', 'IMG', 'INPUT', 'LINK', 'META', 'SOURCE', 'TRACK', 'WBR']);
  const SKIPPED = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'SVG', 'CANVAS', 'VIDEO', 'AUDIO', 'OBJECT']);
  const TEXT_TYPES = new Set(['', 'text', 'search']);
  const boxes = [];
  const escape = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');

  const isVisible = element => {
    const style = element.ownerDocument.defaultView?.getComputedStyle(element);
    return element.getClientRects().length > 0 && style?.visibility !== 'hidden' && style?.display !== 'none';
  };
  const isEditable = element =>
    element.isContentEditable && /^(searchbox|combobox|textbox)$/.test(element.getAttribute('role') ?? '');
  const isBox = element => {
    const tag = element.tagName.toUpperCase();
    const isInput = tag === 'INPUT' && TEXT_TYPES.has((element.getAttribute('type') ?? '').toLowerCase());
    const isArea = tag === 'TEXTAREA' && /^(searchbox|combobox)$/.test(element.getAttribute('role') ?? '');
    return (isInput || isArea || isEditable(element)) && !element.disabled && isVisible(element);
  };
  const mark = element => {
    if (boxes.length >= MAX_BOXES) return '';
    boxes.push(element);
    return ` maxlength="${FIRST_MARK + boxes.length - 1}"`;
  };

  // HTML of the page as it stands, with the contents of shadow roots and frames of the same site.
  const serialise = () => {
    let nodes = 0, out = [], length = 0;
    const write = text => { out.push(text); length += text.length; };
    const walk = node => {
      if (++nodes > MAX_NODES || length > MAX_CHARS) return;
      if (node.nodeType === 3) return write(escape(node.data));
      if (node.nodeType !== 1) return;
      const tag = node.tagName.toUpperCase();
      if (SKIPPED.has(tag)) return;
      const box = isBox(node);
      const name = box && tag !== 'INPUT' ? 'input' : tag.toLowerCase();
      if (!/^[a-z][a-z0-9-]*$/.test(name)) return;
      write('<' + name);
      // What a script chose or wrote is in properties.
      const live = tag === 'OPTION' ? ['selected'] : tag !== 'INPUT' ? [] : /^(checkbox|radio)$/.test(node.type) ? ['checked'] : ['value'];
      for (const name of live) {
        if (node[name] === true) write(` ${name}`);
        else if (node[name]) write(` ${name}="${escape(node[name])}"`);
      }
      for (const attribute of node.attributes) {
        if (!(box && attribute.name === 'maxlength') && !live.includes(attribute.name) && /^[A-Za-z_:@][-\w:.@]*$/.test(attribute.name)) {
          write(` ${attribute.name}="${escape(attribute.value)}"`);
        }
      }
      if (box) write(mark(node));
      if (box && isEditable(node)) write(' type="search"');
      write('>');
      if (VOID.has(tag) || name === 'input') return;
      for (const child of node.shadowRoot?.childNodes ?? []) walk(child);
      if (tag === 'IFRAME') {
        try { if (node.contentDocument?.body) walk(node.contentDocument.body); } catch { /* another site */ }
      } else {
        for (const child of node.childNodes) walk(child);
      }
      write(`</${name}>`);
    };
    boxes.length = 0;
    walk(document.documentElement);
    return { html: out.join(''), url: location.href };
  };

  // Puts the cursor into a box and empties it.
  const focus = number => {
    const box = boxes[number];
    if (!box?.isConnected) return false;
    box.scrollIntoView({ block: 'center' });
    box.click();
    box.focus();
    if (box.value) box.select?.();
    return true;
  };

  // Presses the button that belongs to a box: the one that submits its form, or the nearest one after it.
  const press = number => {
    const box = boxes[number];
    if (!box?.isConnected) return false;
    const buttons = 'button, input[type=submit], input[type=button], input[type=image], [role=button], a[role=button]';
    // A shadow root has no parent but a host.
    const outer = node => node.parentNode ?? node.host;
    let around = box.form ?? outer(box);
    for (let level = 0; around?.querySelectorAll && level < 4; level += 1, around = outer(around)) {
      const after = [...around.querySelectorAll(buttons)].filter(button =>
        isVisible(button) && box.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING);
      const button = after.find(button => button.type === 'submit') ?? after[0];
      if (button) { button.click(); return true; }
      if (around === box.form) break;
    }
    return false;
  };

  // Elements of the page and of its shadow trees that match.
  const all = (selector, root = document) => {
    const found = [...root.querySelectorAll(selector)];
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot && found.length < MAX_CONTROLS) found.push(...all(selector, element.shadowRoot));
    }
    return found;
  };
  const leavesPage = element => {
    const href = element.closest('a[href]')?.getAttribute('href');
    if (href === undefined || /^\s*(#|javascript:|$)/i.test(href)) return false;
    try {
      const [target, here] = [new URL(href, document.baseURI), new URL(location.href)];
      target.hash = here.hash = '';
      return target.href !== here.href;
    } catch { return true; }
  };
  const words = values => values.filter(Boolean).join(' ').replace(/[\u{1f50d}\u{1f50e}\u2315]/gu, ' search ').slice(0, 200);
  const controlName = element => words([
    element.getAttribute('aria-label'), element.getAttribute('title'), element.value,
    element.textContent.trim().slice(0, 60), element.querySelector('img[alt]')?.alt]);
  const identifiers = element => words([element, ...[...element.querySelectorAll('svg, use, i, img, span')].slice(0, 5)]
    .flatMap(part => ['id', 'class', 'href', 'xlink:href', 'data-icon', 'data-testid', 'src']
      .map(name => part.getAttribute(name)?.split('/').pop())));

  // Visible controls outside of forms that were not clicked yet.
  const CONTROLS = 'button, summary, a, [role=button], [role=tab], [role=menuitem], [aria-expanded], [aria-haspopup], [onclick], [tabindex]';
  const clicked = new WeakSet();
  let listed = [];
  const controls = () => {
    const isPointed = element => element.textContent.length < 200 && getComputedStyle(element).cursor === 'pointer'
      && getComputedStyle(element.parentElement ?? element).cursor !== 'pointer';
    const pointed = all('div, span, li, td, label, svg, h1, h2, h3').slice(0, MAX_NODES / 10).filter(isPointed);
    const known = new Set([...all(CONTROLS), ...pointed]);
    listed = [...known].filter(element => !clicked.has(element) && isVisible(element)).slice(0, MAX_CONTROLS);
    return listed.map((element, number) => {
      const href = element.getAttribute('href') ?? '';
      return {
        number, name: controlName(element), identifiers: identifiers(element), leaves_page: leavesPage(element),
        submits: Boolean(element.form ?? element.closest('form')) && (element.type ?? 'submit') === 'submit' && /^(BUTTON|INPUT)$/.test(element.tagName),
        unfolds: element.getAttribute('aria-expanded') === 'false' || element.hasAttribute('aria-haspopup') || element.tagName === 'SUMMARY',
        is_view: /^#./.test(href) || pointed.includes(element) || element.tagName === 'A' && (!href || href.startsWith('javascript:')),
      };
    });
  };
  const click = number => {
    const element = listed[number];
    if (!element?.isConnected) return false;
    clicked.add(element);
    element.scrollIntoView({ block: 'center' });
    element.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, composed: true }));
    element.dispatchEvent(new MouseEvent('mouseup', { bubbles: true, composed: true }));
    element.click ? element.click() : element.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }));
    return true;
  };

  // Choices of forms that are not sent themselves.
  let chosen = [];
  const choices = () => {
    const isUnsent = select => !select.name && !select.disabled && select.form && isVisible(select);
    chosen = all('form select').filter(isUnsent).slice(0, MAX_BOXES);
    return chosen.map((select, number) => ({
      number, options: [...select.options].filter(option => !option.disabled).slice(0, 60).map(option => [option.value, option.text]),
    }));
  };
  const choose = (number, value) => {
    const select = chosen[number];
    if (!select?.isConnected) return false;
    select.value = value;
    for (const type of ['input', 'change']) select.dispatchEvent(new Event(type, { bubbles: true }));
    return true;
  };

  const text = () => (document.body?.innerText ?? '').slice(0, 200000);
  return { serialise, focus, press, controls, click, choices, choose, text };
})()
