#!/usr/bin/env -S node --max-semi-space-size=32
// Command of the package `switchboard`. Runs with any version of Node.js, and starts the service with the one that it needs.
const { spawn } = require('node:child_process');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const REQUIRED_MAJOR = 24;
const main = join(__dirname, 'main.js');

if (Number.parseInt(process.versions.node, 10) >= REQUIRED_MAJOR) void import(pathToFileURL(main).href);
else startWith(findNode());

/** Returns the Node.js that npm has installed for this package, or undefined. */
function findNode() {
  try {
    return require.resolve('node/bin/node');
  } catch {
    return undefined;
  }
}

function startWith(node) {
  // Says what is missing, and ends.
  if (node === undefined) return require('./check-node.cjs');
  const child = spawn(node, ['--max-semi-space-size=32', main, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => child.kill(name));
  child.on('error', (error) => {
    process.stderr.write(`Node.js can't be started: ${error.message}\n`);
    process.exit(1);
  });
  child.on('close', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));
}
