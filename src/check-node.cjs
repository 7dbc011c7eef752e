// Loaded before any TypeScript, with any version of Node.js (`--require`).
const REQUIRED_MAJOR = 24;

if (Number.parseInt(process.versions.node, 10) < REQUIRED_MAJOR) {
  process.stderr.write(
    `Switchboard needs Node.js ${REQUIRED_MAJOR} or later; this is ${process.versions.node}. Install it, or run "npm ci" without --omit=dev and --ignore-scripts: it brings one along.\n`,
  );
  process.exit(78);
}
