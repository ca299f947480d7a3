// npm run release: builds all, then makes npm packages and executables of this platform in release/.

import { prepare, root, run } from "./prepare.mjs";

await prepare();
const program = "packages/bundler/bin/release.ts";
process.exit(run(process.execPath, [program, ...process.argv.slice(2)], { cwd: root }) ? 0 : 1);
