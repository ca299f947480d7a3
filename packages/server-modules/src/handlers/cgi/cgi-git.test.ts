// A real git clones, fetches and pushes through git's own CGI program.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

const run = promisify(execFile);

function findBackend(): string {
  try {
    const folder = execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim();
    const path = join(folder, "git-http-backend");
    return existsSync(path) ? path : "";
  } catch {
    return "";
  }
}

const backend = findBackend();

describe.skipIf(backend === "")("git (needs git-http-backend)", () => {
  let folder: string;
  let server: RunningServer;
  const git = (...args: string[]) =>
    run("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0" },
    });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "cgi-git-"));
    mkdirSync(join(folder, "repositories"));
    await git("init", "--bare", "-b", "main", "repositories/a.git");
    await git("-C", "repositories/a.git", "config", "http.receivepack", "true");
    await git("-C", "repositories/a.git", "config", "gc.auto", "0");
    server = await RunningServer.start(
      siteConfig({
        handle: [
          {
            handler: "cgi",
            executable: backend,
            scriptName: "/git",
            envs: [`GIT_PROJECT_ROOT=${join(folder, "repositories")}`, "GIT_HTTP_EXPORT_ALL=1"],
          },
        ],
      }),
    );
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, maxRetries: 5 });
  });

  test("clones, pushes more than its buffer in chunks, and fetches it again", async () => {
    const url = `${server.site}/git/a.git`;
    await git("clone", url, "one");
    const large = Buffer.alloc(3_000_000);
    for (let index = 0; index < large.length; index++) {
      large[index] = (index * 2_654_435_761) >>> 13; // hardly to be made shorter
    }
    writeFileSync(join(folder, "one/large"), large);
    await git("-C", "one", "add", "large");
    await git("-C", "one", "commit", "-m", "large");
    await git("-C", "one", "-c", "http.postBuffer=65536", "push", "origin", "HEAD:main");
    await git("clone", url, "two");
    expect(readFileSync(join(folder, "two/large")).equals(large)).toBe(true);
    writeFileSync(join(folder, "two/small"), "small");
    await git("-C", "two", "add", "small");
    await git("-C", "two", "commit", "-m", "small");
    await git("-C", "two", "push", "origin", "main");
    await git("-C", "one", "pull", "--ff-only", "origin", "main");
    expect(readFileSync(join(folder, "one/small"), "utf8")).toBe("small");
  });

  test("a repository that is not there is told to be so", async () => {
    await expect(git("clone", `${server.site}/git/none.git`, "none")).rejects.toThrow("not found");
  });
});
