// npm run release: builds all, then makes in dist/ what a version publishes: npm packages, executables of this platform, Helm
// charts, the list of what is in them, and checksums. `-- --images amd64,arm64` makes images too.

import { prepare, run } from "./prepare.mjs";

await prepare();
const isListed = run(process.execPath, ["scripts/sbom.mjs"]);
const program = "packages/bundler/bin/release.ts";
const isMade = run(process.execPath, [program, ...process.argv.slice(2)]);
process.exit(isListed && isMade ? 0 : 1);
