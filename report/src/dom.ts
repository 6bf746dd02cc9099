// dom.ts -- elements, made of text alone: nothing that came from a log is ever parsed as markup.

type Child = Node | string | null | undefined;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  for (const c of children) if (c != null) e.append(c);
  return e;
}

const svgSpace = "http://www.w3.org/2000/svg";

export function svg(tag: string, attributes: Record<string, string | number> = {}, ...children: Child[]): SVGElement {
  const e = document.createElementNS(svgSpace, tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, String(value));
  for (const c of children) if (c != null) e.append(c);
  return e;
}

/** A name of any length and script, cut where it would fill a line; `bdi` keeps its direction to itself. */
export function nameText(text: string, most = 60): HTMLElement {
  const whole = [...text];
  const b = el("bdi", {}, whole.length > most ? `${whole.slice(0, most - 1).join("")}…` : text);
  if (whole.length > most) b.title = whole.slice(0, 1000).join("");
  return b;
}

export function button(text: string, f: () => void, title = ""): HTMLButtonElement {
  const b = el("button", { type: "button" }, text);
  if (title) b.title = title;
  b.addEventListener("click", f);
  return b;
}

/** Save a text as a file of this name. */
export function saveButton(label: string, text: () => [string, string] | Promise<[string, string]>, title: string): HTMLButtonElement {
  const b = button(label, () => void save(), title);
  async function save(): Promise<void> {
    try {
      const [name, content] = await text();
      const address = URL.createObjectURL(new Blob([content]));
      el("a", { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10000);
    } catch (e) {
      b.title = e instanceof Error ? e.message : String(e);
      b.textContent = `${label}: ${b.title.split("\n")[0].slice(0, 120)}`;
    }
  }
  return b;
}

/** Copy a text, and say so on the button. Pages that were opened from disk may not have the clipboard: then it is
 *  shown, selected. */
export function copyButton(label: string, text: () => string, title: string): HTMLButtonElement {
  const b = button(label, () => void copy(), title);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text());
      b.textContent = "copied";
    } catch {
      const box = el("textarea", { readonly: "", rows: "6", "aria-label": title }, text());
      b.after(box);
      box.focus();
      box.select();
      b.textContent = "select and copy";
    }
    setTimeout(() => (b.textContent = label), 2000);
  }
  return b;
}
