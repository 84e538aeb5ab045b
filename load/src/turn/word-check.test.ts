import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { promptFor, shapeIn, stops } from './shape.ts';
import { spell } from './word.ts';
import { WordCheck } from './word-check.ts';

const word = (index: number, bytes?: number) => spell({ index, writtenAt: 1_700_000_000_000.25 }, bytes);

test('words are recognised wherever a text is cut', () => {
  const check = new WordCheck();
  const text = word(0) + word(1, 64) + word(2);
  const found = [...text].flatMap((letter) => check.push(letter));
  check.end(3);
  expect(found).toEqual([0, 1, 2].map((index) => ({ index, writtenAt: 1_700_000_000_000.25 })));
  expect([check.lost, check.repeated]).toEqual([0, 0]);
  expect(word(1, 64)).toHaveLength(64);
  expect(deflateSync(word(1, 4096)).length).toBeGreaterThan(2000);
});

test.each([
  { name: 'a hole', text: word(0) + word(2), lost: 1, repeated: 0 },
  { name: 'a repetition', text: word(0) + word(1) + word(1) + word(2), lost: 0, repeated: 1 },
  { name: 'an early end', text: word(0), lost: 2, repeated: 0 },
  { name: 'half a word at the end', text: `${word(0)}${word(1)}${word(2).trim()}`, lost: 2, repeated: 0 },
  { name: 'something else', text: `${word(0)}well ${word(1)}${word(2)}`, lost: 1, repeated: 0 },
])('$name is counted', ({ text, lost, repeated }) => {
  const check = new WordCheck();
  check.push(text);
  check.end(3);
  expect([check.lost, check.repeated]).toEqual([lost, repeated]);
});

test('a shape is found in what a server makes of the words of its user', () => {
  const shape = { words: 40, paceMs: 20, tools: 2, wordBytes: 0 };
  expect(shapeIn(`<user>\n${promptFor(shape)}\n</user>`)).toEqual(shape);
  expect(shapeIn('hello')).toBeUndefined();
  expect(stops(shape)).toEqual([13, 26, 40]);
});
