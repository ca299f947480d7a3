import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = (name: string) => new URL(`./${name}`, import.meta.url).href;

/** The lines of a process, one after the other. */
const linesOf = (child: ChildProcess) => createInterface({ input: child.stdout! })[Symbol.asyncIterator]();

test("a process that npm started through a shell hears that npm was killed", async () => {
  const watcher = `import { onLostNpm } from ${JSON.stringify(script("stop-with-parent.mjs"))};
    setInterval(() => {}, 1000);
    onLostNpm(() => { console.log("gone"); process.exit(); });
    console.log("watching");`;
  // The shell stays: it has something to do after the program.
  const npm = `require("node:child_process").spawn("sh", ["-c", "\\"$NODE\\" --input-type=module -e \\"$WATCHER\\"; true"], { stdio: ["ignore", "inherit", "inherit"] });`;
  const child = spawn(process.execPath, ["-e", npm], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE: process.execPath, WATCHER: watcher, npm_lifecycle_event: "start" },
  });
  const lines = linesOf(child);
  expect((await lines.next()).value).toBe("watching");
  child.kill("SIGKILL");
  expect((await lines.next()).value).toBe("gone");
});

test("npm that ends while the toolchain is fetched leaves nothing running", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lost-npm-"));
  try {
    cpSync(fileURLToPath(new URL(".", import.meta.url)), join(folder, "scripts"), { recursive: true });
    // Its fetch never ends. There is no pnpm beside it, so one is fetched.
    const npm = join(folder, "npm");
    writeFileSync(npm, "#!/bin/sh\necho fetching\nsleep 1000\n", { mode: 0o755 });
    const parent = `require("node:child_process").spawn(process.execPath, ["scripts/bootstrap.mjs", "start"], { stdio: ["ignore", "inherit", "ignore"] });`;
    const child = spawn(process.execPath, ["-e", parent], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
      env: { PATH: `${folder}:/usr/bin:/bin`, HOME: folder, npm_lifecycle_event: "start" },
    });
    const lines = linesOf(child);
    expect((await lines.next()).value).toBe("fetching");
    child.kill("SIGKILL");
    // All of them have the other end of the pipe.
    expect((await lines.next()).done).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each(["SIGINT", "SIGTERM"] as const)("%s to npm alone reaches what npm start runs", async (signal) => {
  const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const folder = mkdtempSync(join(tmpdir(), "npm-start-"));
  mkdirSync(join(folder, "scripts"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { start: scripts.start } }));
  writeFileSync(
    join(folder, "scripts", "bootstrap.mjs"),
    `import { onStopSignal } from ${JSON.stringify(script("stop-with-parent.mjs"))};
    const timer = setInterval(() => {}, 1000);
    onStopSignal((signal) => { console.log("told " + signal); clearInterval(timer); });
    console.log("running");`,
  );
  const child = spawn("npm", ["start", "--silent"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const exit = once(child, "exit");
  const lines = linesOf(child);
  expect((await lines.next()).value).toBe("running");
  child.kill(signal);
  expect((await lines.next()).value).toBe(`told ${signal}`);
  expect(await exit).toEqual([0, null]);
  rmSync(folder, { recursive: true });
});

test("a step that is stopped takes along what it has started", async () => {
  const grandchild = `console.log('running'); setInterval(() => {}, 1000);`;
  const step = `import { runChild } from ${JSON.stringify(script("run-child.mjs"))};
    await runChild("sh", ["-c", "\\"$NODE\\" -e \\"$GRANDCHILD\\"; true"]);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", step], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE: process.execPath, GRANDCHILD: grandchild },
  });
  const lines = linesOf(child);
  expect((await lines.next()).value).toBe("running");
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  expect(await exit).toEqual([143, null]);
  // The pipe closes only after the grandchild, which holds its other end, has ended.
  expect((await lines.next()).done).toBe(true);
});

test("the output of a quiet step is kept, its exit code told", async () => {
  const { runChild } = await import("./run-child.mjs");
  const result = await runChild(
    process.execPath,
    ["-e", "console.log(1); console.error(2); process.exit(3)"],
    {
      quiet: true,
    },
  );
  expect(result.status).toBe(3);
  expect(result.output.split("\n").sort()).toEqual(["", "1", "2"]);
});
