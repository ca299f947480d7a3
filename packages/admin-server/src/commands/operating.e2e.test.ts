import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { passwordHashes } from "server-modules/handlers/authentication/auth-provider";
import { verifyBcrypt } from "server-modules/passwords/bcrypt";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { provisionModule } from "../testing/provision-module.ts";
import { ServerProcess } from "../testing/server-process.ts";

// Each test starts several processes, one after another.
vi.setConfig({ testTimeout: 120_000 });

let folder: string;
const processes: ServerProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-operating-"));
});
afterEach(async () => {
  for (const { child, exit } of processes.splice(0)) {
    child.kill("SIGKILL");
    await exit;
  }
  await rm(folder, { recursive: true });
});

function start(args: readonly string[], environment: Record<string, string> = {}): ServerProcess {
  const process = new ServerProcess(
    args,
    { XDG_CONFIG_HOME: folder, SERVER_ADMIN: "127.0.0.1:0", ...environment },
    folder,
  );
  processes.push(process);
  return process;
}

/** Address of the first site, which listens on every address of the machine. */
async function siteOf(server: ServerProcess): Promise<string> {
  return (await server.site()).replace("//:", "//127.0.0.1:");
}

/** Runs a command to its end. */
async function run(
  args: readonly string[],
  input?: string | Uint8Array,
  environment?: Record<string, string>,
) {
  const server = start(args, environment);
  server.child.stdin?.end(input);
  const code = await server.exit;
  return { code, stdout: server.stdout, stderr: server.stderr };
}

function write(name: string, text: string): Promise<void> {
  return writeFile(join(folder, name), text);
}

const site = (answer: string, more = "") => `http://127.0.0.1:0 {\n\trespond "${answer}"\n${more}}\n`;

describe("server run", () => {
  test("takes the Serverfile of the working folder, and watches it and what it imports", async () => {
    await write("Serverfile", site("one", "\timport more.conf\n"));
    await write("more.conf", "header X a\n");
    const server = start(["run", "--watch", "--pidfile", "server.pid"]);
    const url = await siteOf(server);
    const admin = await server.adminUrl();
    expect((await ask(url)).headers.x).toBe("a");
    expect(await readFile(join(folder, "server.pid"), "utf8")).toBe(`${server.child.pid}\n`);
    await server.logged(/^watching Serverfile/);

    await write("more.conf", "headr X b\n");
    await server.logged(
      /^--watch: the configuration that runs goes on: .*more\.conf:1: unrecognized directive: headr/,
    );
    expect((await ask(url)).headers.x).toBe("a");

    await write("more.conf", "header X b\n");
    await server.logged(/^Serverfile changed: loading it/);
    await expect.poll(async () => (await ask(url)).headers.x, { timeout: 60_000 }).toBe("b");

    expect((await ask(`${admin}/stop`, { method: "POST" })).status).toBe(200);
    expect(await server.exit).toBe(0);
    await expect(stat(join(folder, "server.pid"))).rejects.toThrow("ENOENT");
  });

  test("a Caddyfile is one too, and --envfile sets what it names", async () => {
    await write("Caddyfile", 'http://127.0.0.1:0 {\n\trespond "{$GREETING}"\n}\n');
    await write("a.env", 'GREETING="from file"\nSERVER_ADMIN=127.0.0.1:1\n');
    const server = start(["run", "--envfile", "a.env"]);
    expect((await ask(await siteOf(server))).text).toBe("from file");
    await server.adminUrl(); // the value of the environment; a variable that is set stays
  });

  test("on a terminal's form of the log, the line of a fault is shown", async () => {
    await write("Serverfile", site("x", "\tnope y\n"));
    const { code, stderr } = await run(["run", "--log-encoding", "console"]);
    expect(code).toBe(1);
    expect(stderr).toContain("  3 |  nope y\n    |  ^^^^\n");
  });

  test("--adapter without a file is refused", async () => {
    expect(await run(["run", "--adapter", "yaml"])).toMatchObject({
      code: 1,
      stderr: "server: run: --adapter needs the file it is for: name it with --config\n",
    });
  });
});

describe("server start, reload, stop", () => {
  test("one after the other", async () => {
    const socket = `unix/${join(folder, "admin.sock")}`;
    const environment = { SERVER_ADMIN: socket };
    await write("Serverfile", site("one"));
    const starting = start(["start", "--pidfile", "server.pid"], environment);
    // The property `exit` would wait for the end of the output, whose pipes the started server keeps open.
    expect(await once(starting.child, "exit")).toEqual([0, null]);
    await expect.poll(() => starting.stdout, { timeout: 60_000 }).toMatch(/^Successfully started .*pid=\d+/);
    const pid = Number(/pid=(\d+)/.exec(starting.stdout)?.[1]);
    try {
      expect(await readFile(join(folder, "server.pid"), "utf8")).toBe(`${pid}\n`);
      const again = await run(["start"], "", environment);
      expect(again.code).toBe(1);
      expect(again.stderr).toContain("address already in use");
      expect(again.stderr).toContain("server: start: the server ended at once, with 1");

      await write("Serverfile", site("two", "\tnope y\n"));
      const bad = await run(["reload"], "", environment);
      expect(bad).toMatchObject({ code: 1, stdout: "" });
      expect(bad.stderr).toContain(
        "Serverfile:3: unrecognized directive: nope\n  3 |  nope y\n    |  ^^^^\n",
      );
      await write("b.json", '{"apps":{"nope":{}}}');
      const refused = await run(["reload", "--config", "b.json"], "", environment);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("answered 400: loading config: loading new config:");

      await write("c.json", JSON.stringify({ admin: { listen: socket }, apps: {} }));
      expect(await run(["reload", "--config", "c.json", "--force"])).toMatchObject({ code: 0, stderr: "" });
      expect(await run(["stop", "--config", "c.json"])).toMatchObject({ code: 0, stderr: "" });
    } finally {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // the server stopped, as requested
      }
    }
    const gone = await run(["stop", "--address", socket]);
    expect(gone).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`no server answers on ${socket}`),
    });
  });
});

describe("server storage", () => {
  test("what one storage exports another imports", async () => {
    const values = join(folder, "a", "pki", "authorities", "local");
    await mkdir(values, { recursive: true });
    await mkdir(join(folder, "a", "locks"));
    await writeFile(join(values, "root.key"), "secret");
    await writeFile(join(values, "empty"), "");
    await writeFile(join(folder, "a", "locks", "x.lock"), "");
    await write("a.json", JSON.stringify({ storage: { module: "file_system", root: join(folder, "a") } }));
    await write("b.json", JSON.stringify({ storage: { module: "file_system", root: join(folder, "b") } }));
    expect(await run(["storage", "export", "-c", "a.json", "-o", "s.tar"])).toMatchObject({
      code: 0,
      stdout: "",
    });
    expect((await stat(join(folder, "s.tar"))).mode & 0o777).toBe(0o600);
    expect(await run(["storage", "import", "-c", "b.json", "-i", "s.tar"])).toMatchObject({
      code: 0,
      stdout: "Successfully imported storage: 2 values\n",
    });
    const [key, empty] = ["root.key", "empty"].map((name) => join(folder, "b/pki/authorities/local", name));
    expect(await readFile(key ?? "", "utf8")).toBe("secret");
    expect(await readFile(empty ?? "", "utf8")).toBe("");
    await expect(stat(join(folder, "b", "locks"))).rejects.toThrow("ENOENT");

    // A pipe; and an archive that ends early changes nothing.
    await write("c.json", JSON.stringify({ storage: { module: "file_system", root: join(folder, "c") } }));
    const archive = await readFile(join(folder, "s.tar"));
    const cut = archive.subarray(0, archive.indexOf("secret") + 3);
    const broken = await run(["storage", "import", "-c", "c.json", "-i", "-"], cut);
    expect(broken).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("storage import: cannot read -"),
    });
    await expect(stat(join(folder, "c"))).rejects.toThrow("ENOENT");
    expect((await run(["storage", "import", "-c", "c.json", "-i", "-"], archive)).code).toBe(0);
    // The export of an empty storage.
    expect((await run(["storage", "import", "-c", "c.json", "-i", "-"], Buffer.alloc(1024))).code).toBe(0);
    expect(await readFile(join(folder, "c/pki/authorities/local/root.key"), "utf8")).toBe("secret");
  });
});

describe("other commands", () => {
  test("hash-password reads a line of standard input", async () => {
    const { code, stdout } = await run(["hash-password", "--bcrypt-cost", "4"], "hiccup\r\nmore\n");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\$2a\$04\$[./A-Za-z0-9]{53}\n$/)]);
    expect(verifyBcrypt("hiccup", stdout.trim())).toBe(true);
  });

  test("hash-password makes what argon2id logs in with", async () => {
    const { stdout } = await run([
      "hash-password",
      "-a",
      "argon2id",
      "-p",
      "pässword",
      "--argon2id-memory",
      "64",
    ]);
    const hash = await provisionModule(passwordHashes, "argon2id", {});
    const attempt = { client: "192.0.2.1", remember: false, onGone: () => {} };
    expect(await hash.verify(stdout.trim(), "pässword", attempt)).toBe(true);
    expect(await hash.verify(stdout.trim(), "password", attempt)).toBe(false);
  });

  test.each([
    ["nothing", ""],
    ["an empty line", "\n"],
    ["more than bcrypt looks at", "a".repeat(73)],
    ["a line without an end", "a".repeat(100_000)],
  ])("hash-password refuses %s", async (_, input) => {
    expect(await run(["hash-password"], input)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/password/),
    });
  });

  test("list-modules lists own ones of a configuration apart", async () => {
    await write(
      "own.mjs",
      `import { z } from ${JSON.stringify(import.meta.resolve("zod"))};
export default { id: "http.handlers.own", config: z.strictObject({}), provision: () => ({}) };`,
    );
    await write("a.json", '{"modules": ["./own.mjs"]}');
    const all = await run(["list-modules"]);
    expect(all.stdout).toMatch(/^http\.handlers\.file_server$/m);
    expect(all.stdout).toMatch(/\n\n {2}Standard modules: \d+\n$/);
    const own = await run(["list-modules", "--skip-standard", "--packages", "--config", "a.json"]);
    expect(own).toMatchObject({
      code: 0,
      stdout: "http.handlers.own ./own.mjs\n\n  Non-standard modules: 1\n",
    });
    const json = await run(["list-modules", "--json", "-s", "-c", "a.json"]);
    expect(JSON.parse(json.stdout)).toEqual([
      { module_name: "http.handlers.own", module_type: "non-standard", package_url: "./own.mjs" },
    ]);
  });

  test("environ and build-info", async () => {
    const environ = await run(["environ"], "", { TRIED: "yes" });
    expect(environ.stdout).toContain(
      `server.ConfigAutosavePath=${join(folder, "server", "autosave.json")}\n`,
    );
    expect(environ.stdout).toContain("\nTRIED=yes\n");
    const info = await run(["build-info"]);
    expect(info.stdout).toMatch(/^version\tv\d/);
    expect(info.stdout).toMatch(/^dep\tjson5 \d/m);
  });

  test("manpage writes the pages", async () => {
    expect((await run(["manpage", "--directory", "man/deep"])).code).toBe(0);
    expect(await readFile(join(folder, "man/deep/server-run.8"), "utf8")).toContain("\n.SH OPTIONS\n");
    expect((await run(["manpage"])).stderr).toContain("--directory is required");
  });

  test.each<[string[], string]>([
    [["adpat"], 'unknown command "adpat"; did you mean adapt?'],
    [["storage", "expor"], 'unknown command "storage expor"; did you mean storage export?'],
    [["help", "nothing"], 'help: unknown command "nothing"'],
    [["completion", "tcsh"], "completion: name a shell, one of bash, zsh, fish, powershell"],
    [["adapt"], "there is no Serverfile in the working folder"],
    [["storage", "export"], "--output is required"],
    [["run", "--envfile", "none"], "--envfile none: ENOENT"],
  ])("%j is refused", async (args, message) => {
    expect(await run(args)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(message) });
  });
});
