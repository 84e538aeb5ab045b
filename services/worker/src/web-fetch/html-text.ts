import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

/** What holds no text for a reader. */
const SKIPPED: ReadonlySet<string> = new Set([
  'script',
  'style',
  'template',
  'svg',
  'noscript',
  'iframe',
  'nav',
]);
/** What stands on lines of its own. */
const BLOCKS: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
    'header hr li main ol p pre section summary table tbody thead tfoot title tr ul br'
  ).split(' '),
);
/** What has an empty line before and behind it. */
const SPACED: ReadonlySet<string> = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'title', 'pre']);
/** So much white space at once is nothing that anybody reads. */
const MAX_INDENT = 80;

/**
 * The text of a page as simple Markdown: headings, list items, links. It looks at each character once and at no tree: pages come
 * from anybody, and none may keep the process from its other turns.
 * @param base resolves relative links
 */
export function htmlText(html: string, base: URL): string {
  const writer = new Writer(html, base);
  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, writer);
  tokenizer.write(html);
  tokenizer.end();
  return tidy(writer.parts.join(''));
}

class Writer implements TokenizerCallbacks {
  readonly parts: string[] = [];
  readonly #html: string;
  readonly #base: URL;
  #tag = '';
  #attribute = '';
  #href = '';
  /** The element whose content is left out, and how deep in elements of its name. */
  #skipped = '';
  #depth = 0;
  #preformatted = 0;
  /** Where an open link leads. */
  #link: string | undefined;
  #afterSpace = true;
  /** How many line ends stand at the end of what was written. */
  #lineEnds = 2;

  constructor(html: string, base: URL) {
    this.#html = html;
    this.#base = base;
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#html.slice(start, end).toLowerCase();
    this.#href = '';
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#html.slice(start, end).toLowerCase();
  }

  onattribdata(start: number, end: number): void {
    if (this.#tag === 'a' && this.#attribute === 'href') this.#href += this.#html.slice(start, end);
  }

  onattribentity(codepoint: number): void {
    if (this.#tag === 'a' && this.#attribute === 'href') this.#href += String.fromCodePoint(codepoint);
  }

  onopentagend(): void {
    const tag = this.#tag;
    if (this.#skipped) {
      if (tag === this.#skipped) this.#depth += 1;
      return;
    }
    if (SKIPPED.has(tag)) {
      this.#skipped = tag;
      this.#depth = 1;
      return;
    }
    if (tag === 'a') this.#openLink();
    else if (tag === 'pre') this.#preformatted += 1;
    else if (tag === 'td' || tag === 'th') this.#write(this.#lineEnds > 0 ? '| ' : ' | ');
    if (BLOCKS.has(tag)) this.#newLine(SPACED.has(tag) ? 2 : 1);
    if (tag === 'li') this.#write('- ');
    if (tag === 'title') this.#write('# ');
    if (/^h[1-6]$/.test(tag)) this.#write(`${'#'.repeat(Number(tag[1]))} `);
  }

  onselfclosingtag(): void {
    this.onopentagend();
    if (this.#skipped === this.#tag) this.#skipped = '';
  }

  onclosetag(start: number, end: number): void {
    const tag = this.#html.slice(start, end).trim().toLowerCase();
    if (this.#skipped) {
      if (tag === this.#skipped) this.#depth -= 1;
      if (this.#depth === 0) this.#skipped = '';
      return;
    }
    if (tag === 'a') this.#closeLink();
    else if (tag === 'pre') this.#preformatted = Math.max(0, this.#preformatted - 1);
    if (BLOCKS.has(tag)) this.#newLine(SPACED.has(tag) ? 2 : 1);
  }

  ontext(start: number, end: number): void {
    if (!this.#skipped) this.#text(this.#html.slice(start, end));
  }

  ontextentity(codepoint: number): void {
    if (!this.#skipped) this.#text(String.fromCodePoint(codepoint));
  }

  onattribend(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {
    this.#closeLink();
  }

  #text(text: string): void {
    if (this.#preformatted > 0) {
      this.#write(text);
      return;
    }
    const plain = text.replace(/\s+/g, ' ');
    this.#write(this.#afterSpace && plain.startsWith(' ') ? plain.slice(1) : plain);
  }

  #write(text: string): void {
    if (text === '') return;
    this.parts.push(text);
    this.#afterSpace = text.endsWith(' ') || text.endsWith('\n');
    this.#lineEnds = text.endsWith('\n') ? Math.max(1, this.#lineEnds) : 0;
  }

  /** Sees to it that so many line ends stand before what follows. */
  #newLine(count: number): void {
    const missing = count - this.#lineEnds;
    if (missing <= 0) return;
    this.#write('\n'.repeat(missing));
    this.#lineEnds = count;
  }

  #openLink(): void {
    this.#closeLink();
    const { href, protocol } = URL.parse(this.#href, this.#base.href) ?? {};
    const isPage = (protocol === 'http:' || protocol === 'https:') && !this.#href.startsWith('#');
    this.#link = this.#href && isPage ? href : undefined;
    if (this.#link) this.#write('[');
  }

  #closeLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (link) this.#write(`](${link})`);
  }
}

/** No white space at the ends of lines, no more than one empty line between them. */
function tidy(text: string): string {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const trimmed = line.trimEnd();
    if (trimmed === '' && lines.at(-1) === '') continue;
    const indent = trimmed.length - trimmed.trimStart().length;
    lines.push(indent > MAX_INDENT ? trimmed.trimStart() : trimmed);
  }
  return lines.join('\n').trim();
}
