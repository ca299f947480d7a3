// npm start: prepares the tree, then hands over to the launcher, which runs all processes.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { prepare, root } from "./prepare.mjs";

prepare();
const launcher = join(root, "packages", "launcher", "bin", "launcher.ts");
const child = spawn(process.execPath, [launcher, ...process.argv.slice(2)], { cwd: root, stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("exit", (code) => process.exit(code ?? 1));
