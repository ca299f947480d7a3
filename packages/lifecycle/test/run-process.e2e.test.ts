import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTestAuthority, createTlsFolder } from "lifecycle/testing";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";

const program = fileURLToPath(new URL("./fixtures/echo-process.ts", import.meta.url));
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
  }
});

function run(...args: string[]) {
  return spawnSync(process.execPath, [program, ...args], { encoding: "utf8", timeout: 180_000 });
}

function start(args: string[], stdio: "pipe" | "ipc" = "pipe") {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "pipe", ...(stdio === "ipc" ? (["ipc"] as const) : [])],
  });
  children.push(child);
  let log = "";
  const waiting: (() => void)[] = [];
  child.stderr?.on("data", (chunk: Buffer) => {
    log += chunk.toString();
    for (const check of waiting) {
      check();
    }
  });
  const until = (text: string) =>
    new Promise<string>((resolve) => {
      const check = () => {
        if (log.includes(text)) {
          resolve(log);
        }
      };
      waiting.push(check);
      check();
    });
  const exit = once(child, "exit").then(([code]) => code as number | null);
  return { child, until, exit, log: () => log };
}

describe("commands", () => {
  test("--help names every option, its default and its environment variable", () => {
    const { stdout, status } = run("--help");
    expect(status).toBe(0);
    for (const text of [
      "--echo.max-bytes <size>",
      "(default 1MiB)",
      "[ECHO_MAX_BYTES]",
      "--log-level",
      "clean|late|broken",
    ]) {
      expect(stdout).toContain(text);
    }
  });

  test("print-config names sources and hides secrets", () => {
    const { stdout } = run("print-config", "--echo.password=hunter2", "--log-level", "warn");
    expect(stdout).toMatch(/log-level\s+warn {2}\(flag\)/);
    expect(stdout).toMatch(/echo\.password\s+\*\*\*/);
    expect(stdout).not.toContain("hunter2");
  });

  test("env names the variable of every option", () => {
    const { stdout, status } = run("env");
    expect(status).toBe(0);
    expect(stdout).toMatch(/ECHO_MAX_BYTES +--echo\.max-bytes +1MiB/);
    expect(stdout).toMatch(/ADMIN_HTTP_TLS_CLIENT_CA +--admin\.http\.tls\.client-ca/);
  });

  test("docs writes a page into a folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "docs-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { stdout, status } = run("docs", "--dir", folder);
    expect([status, stdout]).toEqual([0, `${join(folder, "echo-process.md")}\n`]);
    expect(readFileSync(join(folder, "echo-process.md"), "utf8")).toContain(
      "| `--echo.max-bytes` | `ECHO_MAX_BYTES` |",
    );
  });

  test("completion prints the script of a shell", () => {
    expect(run("completion", "bash").stdout).toContain("complete -o default -F _echo_process echo-process");
  });

  test("the public model's spellings of log levels and of the status address are taken", () => {
    expect(run("print-config", "--log-level=dpanic").status).toBe(0);
    const { stdout } = run("status", "--status.http.host-port", "127.0.0.1:1");
    expect(stdout).toContain("127.0.0.1:1");
  });

  test("status of a process that is not there exits 1 and says so", () => {
    const { stdout, status } = run("status", "--admin.http.host-port", "127.0.0.1:1");
    expect(status).toBe(1);
    expect(stdout).toContain("127.0.0.1:1");
  });

  test.each([
    [["nonsense"], 'unknown command "nonsense"'],
    [["--nope"], "unknown option --nope"],
    [["run", "--echo.stop", "never"], "option --echo.stop"],
    [["completion"], "completion: name a shell, one of bash, zsh, fish"],
    [["docs", "--dir", "/none"], "docs: cannot write /none/echo-process.md: ENOENT"],
    [["docs", "--format", "rst"], "option --format"],
    [["--status.http.host-port", ":1"], "unknown option --status.http.host-port"],
    [["--metrics-http-route", "metrics"], "option --metrics-http-route: not a path such as /metrics"],
  ])("%j exits 1 with one line", (args, message) => {
    const { stderr, status } = run(...args);
    expect(status).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

describe("running", () => {
  test("health and metrics are served, SIGTERM stops with 0", async () => {
    const admin = await freePort();
    const { child, until, exit } = start(["--admin.http.host-port", `127.0.0.1:${admin}`]);
    await until("health: available");
    const health = await fetch(`http://127.0.0.1:${admin}/`);
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({ status: "Server available" });
    expect(await (await fetch(`http://127.0.0.1:${admin}/metrics`)).text()).toContain("tracing_build_info{");
    expect(await (await fetch(`http://127.0.0.1:${admin}/version`)).json()).toHaveProperty("gitVersion");
    expect((await fetch(`http://127.0.0.1:${admin}/`, { method: "POST" })).status).toBe(405);
    expect(run("status", "--admin.http.host-port", `127.0.0.1:${admin}`).status).toBe(0);
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
  });

  test("metrics have the public model's names too, at the route that is asked for", async () => {
    const admin = await freePort();
    const { until } = start([`--admin.http.host-port=127.0.0.1:${admin}`, "--metrics-http-route=/m"]);
    await until("health: available");
    const text = await (await fetch(`http://127.0.0.1:${admin}/m`)).text();
    expect(text).toContain('\ntracing_build_info{process="echo-process"');
    expect(text).toContain('\njaeger_build_info{process="echo-process"');
    expect(text.match(/^# TYPE jaeger_build_info gauge$/gm)).toHaveLength(1);
    expect(await (await fetch(`http://127.0.0.1:${admin}/metrics`)).json()).toHaveProperty("status");
  });

  test("without a metrics backend there are none", async () => {
    const admin = await freePort();
    const { until } = start([`--admin.http.host-port=127.0.0.1:${admin}`, "--metrics-backend=none"]);
    await until("health: available");
    expect(await (await fetch(`http://127.0.0.1:${admin}/metrics`)).json()).toHaveProperty("status");
  });

  test("the admin port serves TLS to clients with a certificate, and status has one", async () => {
    const authority = createTestAuthority();
    const folder = createTlsFolder(authority.issue("localhost"), authority.cert);
    onTestFinished(() => folder.remove());
    const admin = await freePort();
    const args = [
      `--admin.http.host-port=127.0.0.1:${admin}`,
      "--admin.http.tls.enabled",
      `--admin.http.tls.cert=${folder.certPath}`,
      `--admin.http.tls.key=${folder.keyPath}`,
      `--admin.http.tls.client-ca=${folder.caPath}`,
    ];
    const { until, child, exit } = start(args);
    await until("health: available");
    const asked = run("status", ...args);
    expect(asked.stdout).toContain('"status":"Server available"');
    expect(asked.status).toBe(0);
    expect(run("status", `--admin.http.host-port=127.0.0.1:${admin}`).status).toBe(1);
    const other = createTlsFolder(createTestAuthority("other").issue("localhost"), authority.cert);
    onTestFinished(() => other.remove());
    expect(
      run(
        "status",
        ...args,
        `--admin.http.tls.cert=${other.certPath}`,
        `--admin.http.tls.key=${other.keyPath}`,
      ).status,
    ).toBe(1);
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
  });

  test("TLS options without TLS are one clear line and code 1", () => {
    const { status, stderr } = run("--admin.http.tls.cert=/a.pem");
    expect(status).toBe(1);
    expect(stderr).toContain("admin.http.tls.* options cannot be used when admin.http.tls.enabled is false");
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test("a stop that does not end is cut at the deadline with code 3", async () => {
    const { child, until, exit } = start(["--echo.stop=late", "--shutdown-timeout=50ms"]);
    await until("health: available");
    child.kill("SIGTERM");
    expect(await exit).toBe(3);
  });

  test("a second SIGINT exits at once with code 2", async () => {
    const { child, until, exit } = start(["--echo.stop=late"]);
    await until("health: available");
    child.kill("SIGINT");
    await until("stopping: SIGINT");
    child.kill("SIGINT");
    expect(await exit).toBe(2);
  });

  test("a failure while running exits 1", async () => {
    const { exit, until } = start(["--echo.fail"]);
    await until("out of luck");
    expect(await exit).toBe(1);
  });

  test("it stops when the launcher that holds its channel is gone", async () => {
    const { child, until, exit } = start([], "ipc");
    await until("health: available");
    child.disconnect();
    expect(await exit).toBe(0);
  });

  test("a taken port is one clear line and code 1", async () => {
    const blocker = createServer().listen(0, "127.0.0.1");
    await once(blocker, "listening");
    const { port } = blocker.address() as { port: number };
    const result = run("--echo.host-port", `127.0.0.1:${port}`);
    blocker.close();
    expect(result.status).toBe(1);
    expect(result.stderr).toContain(`echo: address 127.0.0.1:${port} is taken by another program`);
    expect(result.stderr).toContain("--echo.host-port");
    expect(result.stderr).not.toContain("    at ");
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
