// Runs in an isolated world of the rendered page. Returns an object with the functions that hadal calls.
(() => {
  const MAX_NODES = 60000, MAX_CHARS = 4000000, FIRST_MARK = 1900000000, MAX_BOXES = 200;
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
      for (const attribute of node.attributes) {
        if (!(box && attribute.name === 'maxlength') && /^[A-Za-z_:@][-\w:.@]*$/.test(attribute.name)) {
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

  // Presses the first visible button with a search icon or name that may open a box.
  const openBox = () => {
    const named = element => ['aria-label', 'title', 'class', 'id', 'data-testid']
      .map(name => element.getAttribute(name) ?? '').concat(element.textContent.slice(0, 40)).join(' ');
    const candidates = [...document.querySelectorAll('button, [role=button], a[href="#"], summary')]
      .filter(element => isVisible(element) && !element.closest('form') && /search|\u{1f50d}|magnif|lupe|suche|recherche|buscar|cerca|zoek|szukaj/iu.test(named(element)));
    if (!candidates[0]) return false;
    candidates[0].click();
    return true;
  };

  const text = () => (document.body?.innerText ?? '').slice(0, 200000);
  return { serialise, focus, press, openBox, text };
})()
