import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { EventQueue } from "server-core/testing/event-queue";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { respond, siteConfig } from "./testing/running-server.ts";
import { ServerProcess } from "./testing/server-process.ts";

let folder: string;
const processes: ServerProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-cli-"));
});
afterEach(async () => {
  for (const { child, exit } of processes.splice(0)) {
    child.kill("SIGKILL");
    await exit;
  }
  await rm(folder, { recursive: true });
});

function start(...args: string[]): ServerProcess {
  const process = new ServerProcess(args, { XDG_CONFIG_HOME: folder, SERVER_ADMIN: "127.0.0.1:0" });
  processes.push(process);
  return process;
}

async function configFile(config: unknown, name = "config.json"): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof config === "string" ? config : JSON.stringify(config));
  return path;
}

const json = { "Content-Type": "application/json" };
const body = "/config/apps/http/servers/s/routes/0/handle/0/body";

describe("server run", () => {
  test("serves the config of a file, and stops by POST /stop with exit code 0", async () => {
    const server = start("run", "--config", await configFile(siteConfig(respond("hi"))));
    const admin = await server.adminUrl();
    expect((await ask(await server.site())).text).toBe("hi");
    expect((await ask(`${admin}/stop`, { method: "POST" })).status).toBe(200);
    expect(await server.exit).toBe(0);
  });

  test("reads standard input for --config -", async () => {
    const server = start("run", "--config", "-");
    server.child.stdin?.end(JSON.stringify(siteConfig(respond("piped"))));
    expect((await ask(await server.site())).text).toBe("piped");
  });

  test("reads other formats by the ending of the file, or by --adapter", async () => {
    const yaml = JSON.stringify(siteConfig(respond("from YAML")));
    const server = start("run", "--config", await configFile(`# YAML\n${yaml}`, "site.yml"));
    expect((await ask(await server.site())).text).toBe("from YAML");
    const other = await configFile(`// JSON5\n${yaml}`, "site.conf");
    expect((await ask(await start("run", "--adapter", "json5", "--config", other).site())).text).toBe(
      "from YAML",
    );
  });

  test("without a config only the admin endpoint runs", async () => {
    const server = start("run", "--environ");
    expect((await ask(`${await server.adminUrl()}/config/`)).text).toBe("null\n");
    expect(server.stdout).toContain("SERVER_ADMIN=127.0.0.1:0\n");
  });

  test("kill -9, then --resume brings the last acknowledged config back, ids and all", async () => {
    const file = await configFile(siteConfig({ "@id": "r", ...(respond("0") as object) }));
    const first = start("run", "--resume", "--config", file);
    const admin = await first.adminUrl();
    let acknowledged = "0";
    // A change is running at any time, so the kill hits the middle of a change.
    const changes = (async () => {
      for (let version = 1; ; version++) {
        const answer = await ask(admin + body, {
          method: "PATCH",
          headers: json,
          body: `"${version}"`,
        }).catch(() => undefined);
        if (answer?.status !== 200) {
          return version;
        }
        acknowledged = String(version);
        if (version === 20) {
          first.child.kill("SIGKILL");
        }
      }
    })();
    const lost = await changes;
    expect(await first.exit).toBe("SIGKILL");
    const second = start("run", "--resume", "--config", file);
    expect([acknowledged, String(lost)]).toContain((await ask(await second.site())).text);
    expect((await ask(`${await second.adminUrl()}/id/r/handle/0/handler`)).text).toBe('"static_response"\n');
  });

  test("a damaged autosave is set aside, said with its place, and the history's newest configuration runs", async () => {
    const file = await configFile(siteConfig(respond("of the file")));
    const environment = {
      ...{ XDG_CONFIG_HOME: folder, XDG_DATA_HOME: join(folder, "data"), SERVER_ADMIN: "127.0.0.1:0" },
    };
    const resumed = () => {
      const process = new ServerProcess(["run", "--resume", "--config", file], environment);
      processes.push(process);
      return process;
    };
    const end = async ({ child, exit }: ServerProcess) => {
      child.kill("SIGTERM");
      await exit;
    };
    const first = resumed();
    const patch = { method: "PATCH", headers: json, body: '"saved"' };
    expect((await ask(`${await first.adminUrl()}${body}`, patch)).status).toBe(200);
    await end(first);
    const path = join(folder, "server", "autosave.json");
    const saved = await readFile(path);
    // An invalid brace, a byte that is not UTF-8, a module that does not exist, and a letter whose change leaves a
    // valid configuration.
    for (const [place, flip] of [
      [0, 1],
      [saved.indexOf('"saved"') + 1, 0x80],
      [saved.indexOf("static_response"), 1],
      [saved.indexOf('"saved"') + 1, 1],
    ] as const) {
      const bad = Buffer.from(saved);
      bad[place] = (bad[place] as number) ^ flip;
      await writeFile(path, bad);
      const server = resumed();
      expect((await ask(await server.site())).text).toBe("saved");
      await end(server);
      expect(server.stderr + server.stdout).toContain(
        `${path} is damaged at byte ${place}: it is set aside as ${path}.damaged, and the newest configuration of the history is loaded`,
      );
      expect([await readFile(`${path}.damaged`), await readFile(path)]).toEqual([bad, saved]);
    }
    // A file from an older server has no checksum, and is accepted unchanged.
    await writeFile(path, JSON.stringify(JSON.parse(saved.toString())).replace("saved", "older"));
    const older = resumed();
    expect((await ask(await older.site())).text).toBe("older");
    await end(older);
    // Without a history the file is loaded.
    await rm(join(folder, "data"), { recursive: true });
    await writeFile(path, "[");
    const server = resumed();
    expect((await ask(await server.site())).text).toBe("of the file");
    await end(server);
    expect(server.stderr + server.stdout).toContain("and the history has no configuration in its place");
  });

  test("persist false saves nothing", async () => {
    const config = { ...(siteConfig(respond("x")) as object), admin: { config: { persist: false } } };
    await start("run", "--config", await configFile(config)).adminUrl();
    await expect(readFile(join(folder, "server", "autosave.json"))).rejects.toThrow("ENOENT");
  });

  test("SIGTERM lets a request finish, then exits with 0", async () => {
    const arrived = new EventQueue<() => void>();
    const upstream = await UpstreamServer.start((_, response) =>
      arrived.push(() => response.end("finished")),
    );
    const proxy = { handle: [{ handler: "reverse_proxy", upstreams: [{ dial: upstream.address }] }] };
    const server = start("run", "--config", await configFile(siteConfig(proxy)));
    const slow = ask(await server.site());
    const answerIt = await arrived.next();
    await server.logged(/ runs$/);
    server.child.kill("SIGTERM");
    await server.logged(/^no longer serving/);
    answerIt();
    expect((await slow).text).toBe("finished");
    expect(await server.exit).toBe(0);
    await upstream.kill();
  });

  test("a second SIGINT does not wait: exit code 2", async () => {
    const arrived = new EventQueue<void>();
    const upstream = await UpstreamServer.start(() => arrived.push());
    const proxy = { handle: [{ handler: "reverse_proxy", upstreams: [{ dial: upstream.address }] }] };
    const server = start("run", "--config", await configFile(siteConfig(proxy)));
    const cut = expect(ask(await server.site())).rejects.toThrow();
    await arrived.next();
    await server.logged(/ runs$/);
    server.child.kill("SIGINT");
    await server.logged(/^stopping: SIGINT/);
    server.child.kill("SIGINT");
    expect(await server.exit).toBe(2);
    await cut;
    await upstream.kill();
  });

  test("SIGQUIT exits at once, SIGHUP and SIGUSR2 do nothing", async () => {
    const server = start("run");
    const admin = await server.adminUrl();
    server.child.kill("SIGHUP");
    server.child.kill("SIGUSR2");
    expect((await ask(`${admin}/config/`)).status).toBe(200);
    server.child.kill("SIGQUIT");
    expect(await server.exit).toBe(2);
  });

  test("SIGUSR1 reads the file again, until the config came from elsewhere", async () => {
    const file = await configFile(siteConfig(respond("first")));
    const server = start("run", "--config", file);
    const site = await server.site();
    const admin = await server.adminUrl();
    await configFile(siteConfig(respond("second")));
    server.child.kill("SIGUSR1");
    while ((await ask(site)).text !== "second") {
      // the signal is on its way
    }
    await ask(admin + body, { method: "PATCH", headers: json, body: '"by API"' });
    server.child.kill("SIGUSR1");
    await server.logged(/^SIGUSR1: the configuration no longer is/);
    expect((await ask(site)).text).toBe("by API");
  });
});

describe("server run refuses to start, with exit code 1 and one line that says why", () => {
  test.each([
    [
      "no JSON",
      "{",
      "config.json",
      "config.json: JSON is expected: unexpected end of JSON input, at offset 1",
    ],
    ["an empty file", "", "config.json", "is empty"],
    ["another format", "a: [", "bad.yaml", "adapting config using yaml adapter: "],
    ["another format by any name", "a: b", "bad.conf", "bad.conf: JSON is expected: "],
    ["an unknown field", { zz: 1 }, "config.json", 'json: unknown field "zz", at /config/zz'],
    [
      "a serverfile that is none",
      ":80 {\n\tnope\n}",
      "Serverfile",
      "Serverfile:2: unrecognized directive: nope",
    ],
  ])("%s", async (_, config, name, message) => {
    const server = start("run", "--config", await configFile(config, name));
    expect(await server.exit).toBe(1);
    expect(server.lines.filter((line) => line.includes(message))).not.toEqual([]);
    expect(server.stderr).not.toContain("    at ");
    expect(server.stderr).not.toContain("the old one goes on");
  });

  test("an absent file", async () => {
    const server = start("run", "--config", join(folder, "none.json"));
    expect(await server.exit).toBe(1);
    expect(server.stderr).toContain("cannot read");
  });

  test("a taken port", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const config = { apps: { http: { servers: { s: { listen: [`127.0.0.1:${port}`] } } } } };
    const server = start("run", "--config", await configFile(config));
    expect(await server.exit).toBe(1);
    expect(server.lines.at(-1)).toContain(
      `listen tcp 127.0.0.1:${port}: bind: address already in use: stop the program that has it`,
    );
    taken.close();
  });

  test("an unknown option", async () => {
    const server = start("run", "--bogus");
    expect(await server.exit).toBe(1);
    expect(server.stderr).toContain("unknown option --bogus");
  });
});

describe("other commands", () => {
  test("stop asks a running server", async () => {
    const server = start("run");
    const { host } = new URL(await server.adminUrl());
    expect(await start("stop", "--address", host).exit).toBe(0);
    expect(await server.exit).toBe(0);
    const again = start("stop", "--address", host);
    expect(await again.exit).toBe(1);
    expect(again.stderr).toContain(`no server answers on ${host}`);
  });

  test.each([
    [["--help"], 0, /^A web server[\s\S]*reverse-proxy[\s\S]*SERVER_ADMIN/],
    [["-h"], 0, /^A web server/],
    [[], 0, /^A web server/],
    [["run", "-h"], 0, /^Start the server[\s\S]*-r, --resume/],
    [["help", "run"], 0, /^Start the server[\s\S]*-r, --resume/],
    [["-v"], 0, /^v\d+\.\d+\.\d+/],
    [["version"], 0, /^v\d+\.\d+\.\d+/],
    [["bogus"], 1, /^$/],
  ])("%j", async (args, code, output) => {
    const process = start(...args);
    expect(await process.exit).toBe(code);
    expect(process.stdout).toMatch(output);
  });
});
