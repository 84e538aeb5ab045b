#!/usr/bin/env node
// Writes gen/ from proto/: protobuf-es code (js + d.ts), and for each package directory of proto/ (agent,
// aiserver, tandem) one file that re-exports all of it. Works offline. Does nothing while gen/ is up to date;
// --force generates anyway. Plain JavaScript, since it has to run before anything else is built.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const packageDir = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const protoDir = path.join(packageDir, 'proto');
const genDir = path.join(packageDir, 'gen');
const require = createRequire(import.meta.url);
const buf = binary('@bufbuild/buf', 'bin/buf');
const plugin = binary('@bufbuild/protoc-gen-es', 'bin/protoc-gen-es');

const force = process.argv.includes('--force');
const hash = sourceHash();
if (force || generatedHash(genDir) !== hash) {
  generate();
  console.log('@tandem/proto: generated gen/');
} else {
  console.log('@tandem/proto: gen/ is up to date');
}

/** Where a tool's launcher is, and its version. */
function binary(packageName, file) {
  const manifest = require.resolve(`${packageName}/package.json`);
  return {
    file: path.join(path.dirname(manifest), file),
    version: JSON.parse(readFileSync(manifest, 'utf8')).version,
  };
}

/** Paths of all files below `dir` with the given ending, relative to it, sorted, with forward slashes. */
function filesBelow(dir, ending) {
  return readdirSync(dir, { recursive: true })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith(ending))
    .sort();
}

/** A hash of all that decides what is generated: the .proto files, the tools' versions, this script. */
function sourceHash() {
  const sum = createHash('sha256');
  const add = (name, content) => sum.update(`${name}\0${content.length}\0`).update(content);
  add('tools', `${buf.version} ${plugin.version}`);
  add('script', readFileSync(fileURLToPath(import.meta.url)));
  for (const name of filesBelow(protoDir, '.proto')) {
    add(name, readFileSync(path.join(protoDir, name)));
  }
  return sum.digest('hex');
}

/** The source hash a generated directory was made from, or undefined when there is none. */
function generatedHash(dir) {
  try {
    return readFileSync(path.join(dir, '.hash'), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Generates into a directory of its own and then puts that in gen/'s place, whole. */
function generate() {
  const workDir = mkdtempSync(path.join(packageDir, '.gen-'));
  try {
    const outDir = path.join(workDir, 'new');
    const template = {
      version: 'v2',
      plugins: [
        {
          local: [process.execPath, plugin.file],
          out: outDir,
          opt: ['target=js+dts', 'import_extension=js'],
        },
      ],
    };
    execFileSync(process.execPath, [buf.file, 'generate', '--template', JSON.stringify(template)], {
      cwd: packageDir,
      env: { ...process.env, BUF_CACHE_DIR: path.join(workDir, 'cache') },
      stdio: 'inherit',
    });
    for (const root of readdirSync(outDir)) writeReexports(outDir, root);
    writeFileSync(path.join(outDir, '.hash'), hash);
    // Another run may have been quicker: then what readers already use stays.
    if (force || generatedHash(genDir) !== hash) replaceGenDir(outDir, path.join(workDir, 'old'));
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
}

/** Writes `<root>.js` and `<root>.d.ts`; two files that export the same name are an error, as one would hide the other. */
function writeReexports(outDir, root) {
  const modules = filesBelow(path.join(outDir, root), '_pb.js');
  const owner = new Map();
  for (const module of modules) {
    const types = readFileSync(path.join(outDir, root, module.replace(/\.js$/, '.d.ts')), 'utf8');
    const exported = types.matchAll(/^export (?:declare )?(?:const|type|enum) (\w+)/gm);
    for (const name of new Set(Array.from(exported, (match) => match[1]))) {
      if (owner.has(name)) {
        throw new Error(`${root}: both ${owner.get(name)} and ${module} export ${name}`);
      }
      owner.set(name, module);
    }
  }
  const text = modules.map((module) => `export * from './${root}/${module}';\n`).join('');
  for (const ending of ['.js', '.d.ts']) writeFileSync(path.join(outDir, root + ending), text);
}

/**
 * Puts `outDir` in gen/'s place. Only two renames touch gen/, so nobody sees it half-written; another run that
 * does the same at the same moment has made equal content, and whoever comes last wins.
 */
function replaceGenDir(outDir, oldDir) {
  for (let attempt = 0; ; attempt++) {
    renameIfThere(genDir, `${oldDir}-${attempt}`);
    try {
      renameSync(outDir, genDir);
      return;
    } catch (error) {
      // Another run has put its own gen/ there in between.
      if (attempt === 10 || !['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code)) throw error;
    }
  }
}

function renameIfThere(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
