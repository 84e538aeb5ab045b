import { describe, expect, it } from 'vitest';
import { applyHunks } from './apply-hunks.ts';
import { type FileOperation, type Hunk, parsePatch } from './parse-patch.ts';

const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const update = (...lines: string[]) => patch('*** Update File: a', ...lines);

function hunks(...lines: string[]): readonly Hunk[] {
  const parsed = parsePatch(update(...lines));
  const [first] = typeof parsed === 'string' ? [] : parsed;
  if (first?.type !== 'update') throw new Error(String(parsed));
  return first.hunks;
}

describe('parsePatch', () => {
  it('reads all kinds of operations', () => {
    const text = patch(
      '*** Add File: new.ts',
      '+one',
      '+',
      '*** Delete File: old.ts',
      '*** Update File: a.ts',
      '*** Move to: b.ts',
      '@@ class A',
      '@@ method()',
      ' keep',
      '',
      '-old',
      '+new',
      '*** End of File',
      '*** Update File: c.ts',
      '+only',
    );
    expect(parsePatch(text)).toEqual([
      { type: 'add', path: 'new.ts', content: 'one\n\n' },
      { type: 'delete', path: 'old.ts' },
      {
        type: 'update',
        path: 'a.ts',
        moveTo: 'b.ts',
        hunks: [
          {
            anchors: ['class A', 'method()'],
            atEnd: true,
            lines: [
              { kind: 'keep', text: 'keep' },
              { kind: 'keep', text: '' },
              { kind: 'remove', text: 'old' },
              { kind: 'add', text: 'new' },
            ],
          },
        ],
      },
      {
        type: 'update',
        path: 'c.ts',
        moveTo: undefined,
        hunks: [{ anchors: [], atEnd: false, lines: [{ kind: 'add', text: 'only' }] }],
      },
    ] satisfies FileOperation[]);
  });

  it('takes one that is wrapped as if for a shell, and other line ends', () => {
    const text = patch('*** Delete File: a').replaceAll('\n', '\r\n');
    expect(parsePatch(`apply_patch <<'EOF'\n${text}\nEOF\n`)).toEqual([{ type: 'delete', path: 'a' }]);
  });

  it.each([
    ['nothing', 'has to begin'],
    ['*** Begin Patch\n*** Delete File: a', 'has to end'],
    ['*** Begin Patch\n*** End Patch', 'changes nothing'],
    [patch('hello'), 'Line 2: this begins no file'],
    [update(), 'Line 2: nothing is said'],
    [update('@@ x'), 'there is no change here'],
    [update('*** End of File'), 'there is no change here'],
    [update(' a', 'b'), 'Line 4: a changed line begins'],
  ])('%j: %s', (text, fault) => {
    expect(parsePatch(text)).toContain(fault);
  });
});

describe('applyHunks', () => {
  const FILE = 'class A\n  run()\n    x\n\nclass B\n  run()\n    x\n';

  it('finds the place behind its anchors', () => {
    expect(applyHunks(FILE, hunks('@@ class B', '@@   run()', '-    x', '+    y'))).toEqual({
      text: 'class A\n  run()\n    x\n\nclass B\n  run()\n    y\n',
    });
  });

  it('makes several changes one after another', () => {
    expect(applyHunks('a\nb\nc\na\nb\n', hunks(' a', '-b', '+B', '@@', ' a', '-b', '+BB'))).toEqual({
      text: 'a\nB\nc\na\nBB\n',
    });
  });

  it('leaves lines that stay as they are, though the patch has other spaces', () => {
    expect(applyHunks('\tone \n\ttwo\n', hunks(' one', '-two', '+\tthree'))).toEqual({
      text: '\tone \n\tthree\n',
    });
  });

  it('keeps line ends, and a last line without one', () => {
    expect(applyHunks('a\r\nb\r\n', hunks(' a', '-b', '+c', '+d'))).toEqual({ text: 'a\r\nc\r\nd\r\n' });
    expect(applyHunks('a\nb', hunks(' a', '-b', '+c'))).toEqual({ text: 'a\nc' });
  });

  it('adds at the end, at an anchor, and to an empty file', () => {
    expect(applyHunks('a\n', hunks('+b'))).toEqual({ text: 'a\nb\n' });
    expect(applyHunks('a\nz\n', hunks('@@ a', '+b'))).toEqual({ text: 'a\nb\nz\n' });
    expect(applyHunks('', hunks('+b'))).toEqual({ text: 'b\n' });
  });

  it('prefers the end of the file where the patch says so', () => {
    expect(applyHunks('x\ny\nx\n', hunks('-x', '+z', '*** End of File'))).toEqual({ text: 'x\ny\nz\n' });
  });

  it('takes an anchor that is the first line as well', () => {
    expect(applyHunks('a\nb\n', hunks('@@ a', ' a', '-b', '+c'))).toEqual({ text: 'a\nc\n' });
  });

  it('says what is not there', () => {
    expect(applyHunks('a\n', hunks('-b', '+c'))).toEqual({
      fault: expect.stringContaining('not there from line 1 on:\nb'),
    });
    expect(applyHunks('a\n', hunks('@@ zz', '-a'))).toEqual({
      fault: expect.stringContaining('no line "zz"'),
    });
    // Never before the change before it.
    expect(applyHunks('a\nb\n', hunks('-b', '+c', '@@', '-a'))).toHaveProperty('fault');
  });
});
