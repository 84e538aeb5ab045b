import { expect, it } from 'vitest';
import { htmlText } from './html-text.ts';

const text = (html: string) => htmlText(html, new URL('https://site.test/dir/page'));

it.each([
  ['<p>a</p><p>b</p>', 'a\n\nb'],
  ['<h2>T &amp; U</h2>x<br>y', '## T & U\n\nx\ny'],
  ['<ul><li>one</li><li>two <b>bold</b></li></ul>', '- one\n- two bold'],
  ['a   b\n\n  c', 'a b c'],
  ['<pre>a  b\n  c</pre>', 'a  b\n  c'],
  ['<a href="x?a=1&amp;b=2">y</a>!', '[y](https://site.test/dir/x?a=1&b=2)!'],
  ['<a href="#top">up</a> <a href="javascript:no()">do</a> <a>plain</a>', 'up do plain'],
  ['<a href=/a>one<a href=/b>two', '[one](https://site.test/a)[two](https://site.test/b)'],
  [
    '<script>if (a < b) x()</script><style>p{}</style><svg><text>no</text></svg><nav><nav>n</nav>n</nav>ok',
    'ok',
  ],
  ['<title>Page</title><body>text', '# Page\n\ntext'],
  ['<table><tr><th>a<th>b<tr><td>1<td>2</table>', '| a | b\n| 1 | 2'],
  ['<!-- no --><!doctype html><p>', ''],
  ['a < b &lt; c &nope; &#x41;', 'a < b < c &nope; A'],
  ['', ''],
])('%j', (html, expected) => {
  expect(text(html)).toBe(expected);
});

it('takes time by the length of a page alone', () => {
  const pages = [
    '<div>'.repeat(400_000),
    `${'<b>'.repeat(200_000)}${'</i>'.repeat(200_000)}`,
    `<table><tr>${'<td>x'.repeat(350_000)}`,
    '<a href=x>y</a>'.repeat(130_000),
    '&'.repeat(2_000_000),
    '<'.repeat(2_000_000),
    `<a ${'b=c '.repeat(500_000)}`,
    `<pre>${' '.repeat(2_000_000)}x`,
    `<script>${'</'.repeat(1_000_000)}`,
  ].map((page) => page.slice(0, 1_000_000));
  for (const page of pages) {
    const started = performance.now();
    text(page);
    // Far more than it takes, and far less than it would by a tree with all its searches.
    expect(performance.now() - started).toBeLessThan(5_000);
  }
}, 45_000);
