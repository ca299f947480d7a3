import { readdirSync, readFileSync } from "node:fs";
import { ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { describe, expect, test } from "vitest";
import { adaptServerfile, toServerfile } from "../../admin-server/src/testing/serverfile.ts";
import { formatServerfile } from "./format/format-serverfile.ts";

const folder = new URL("./golden/", import.meta.url);

function golden(name: string): JsonValue {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));
}

function adapted(text: string, filename = "Serverfile"): JsonValue {
  return adaptServerfile(Buffer.from(text), { filename }).result;
}

async function refusal(config: JsonValue): Promise<ServerError> {
  try {
    await toServerfile(config);
  } catch (error) {
    expect(error).toBeInstanceOf(ServerError);
    return error as ServerError;
  }
  throw new Error("the config has a text");
}

describe("golden", () => {
  const names = readdirSync(folder).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : []));

  test.each(names)("%s", async (name) => {
    const config = golden(name);
    const text = await toServerfile(config);
    expect(adapted(text)).toEqual(config);
    expect(formatServerfile(text)).toBe(text);
  });
});

/** Texts that are restored word for word. */
describe("as people write it", () => {
  test.each([
    [
      "sites",
      "example.com, www.example.com {\n\troot * /srv\n\tfile_server\n}\n\nhttp://plain.example.com {\n\trespond ok\n}\n",
    ],
    [
      "matchers",
      ":80 {\n\t@css path *.css\n\t@post {\n\t\tmethod POST\n\t\tpath /a /b\n\t}\n\theader @css Cache-Control max-age=60\n\trespond @post {err.x} 405\n\trespond /c {path}\n}\n",
    ],
    [
      "handle",
      ":80 {\n\thandle_path /api/* {\n\t\treverse_proxy localhost:9000\n\t}\n\thandle {\n\t\tfile_server\n\t}\n}\n",
    ],
    [
      "a proxy",
      ":80 {\n\treverse_proxy https://a https://b:444 {\n\t\tlb_policy first\n\t\thealth_uri /up\n\t\thealth_interval 1m30s\n\t\theader_up X-A {host}\n\t\thandle_response {\n\t\t\trespond {rp.status_code}\n\t\t}\n\t}\n}\n",
    ],
    ["php", ":80 {\n\tphp_fastcgi localhost:9000\n\tfile_server\n}\n"],
    [
      "options",
      "{\n\tdebug\n\temail me@example.com\n}\n\na.example.com {\n\ttls internal\n}\n\nexample.com {\n\tlog {\n\t\toutput stdout\n\t}\n}\n",
    ],
    ["modules of the user", "{\n\tmodules ./own.ts pkg\n}\n\n:80 {\n\trespond ok\n}\n"],
    ["a heredoc", ":80 {\n\trespond <<TEXT\n\t\tone\n\t\t  two\n\t\tTEXT 200\n}\n"],
    [
      "quotes",
      ':80 {\n\theader X-A `say "x"`\n\theader X-B ""\n\theader X-C {$:{$}HOME}\n\trespond "a b"\n}\n',
    ],
    ["errors", ":80 {\n\terror /x 500\n\thandle_errors 404 {\n\t\trespond gone\n\t}\n}\n"],
  ])("%s", async (_name, text) => {
    const written = await toServerfile(adapted(text));
    expect(written).toBe(text);
  });
});

describe("refuses, naming the path and why", () => {
  const server = (more: JsonValue) => ({
    apps: { http: { servers: { srv0: { listen: [":80"], ...(more as object) } } } },
  });
  const route = (more: object) => server({ routes: [{ handle: [{ handler: "static_response", ...more }] }] });
  const at = "/config/apps/http/servers/srv0";

  test.each<[string, JsonValue, string, string]>([
    ["nothing", null, "/config", "no config is loaded"],
    [
      "an unknown handler",
      server({ routes: [{ handle: [{ handler: "own" }] }] }),
      `${at}/routes/0/handle/0`,
      "no directive for the handler own",
    ],
    [
      "an unknown member of a handler",
      route({ own: 1 }),
      `${at}/routes/0/handle/0/own`,
      "the directive respond has no line for it",
    ],
    [
      "headers of an answer",
      route({ headers: { A: ["b"] } }),
      `${at}/routes/0/handle/0/headers`,
      "no line for it",
    ],
    ["a text that is none", route({ body: 5 }), `${at}/routes/0/handle/0/body`, "a text is expected"],
    [
      "several sets of matchers",
      server({ routes: [{ match: [{ path: ["/a"] }, { path: ["/b"] }], handle: [{ handler: "vars" }] }] }),
      `${at}/routes/0/match`,
      "one set of matchers",
    ],
    [
      "an unknown matcher",
      server({ routes: [{ match: [{ own: {} }], handle: [{ handler: "vars" }] }] }),
      `${at}/routes/0/match/0/own`,
      "there is no matcher own",
    ],
    [
      "a terminal route",
      server({ routes: [{ terminal: true, match: [{ method: ["GET"] }], handle: [{ handler: "vars" }] }] }),
      `${at}/routes/0/terminal`,
      "only the routes of whole sites",
    ],
    [
      "ports that differ",
      server({ listen: [":80", ":81"], routes: [{ handle: [{ handler: "vars" }] }] }),
      `${at}/listen`,
      "the port of its sites",
    ],
    [
      "a file server that shows its config",
      server({ routes: [{ handle: [{ handler: "file_server" }] }] }),
      `${at}/routes/0/handle/0/hide`,
      "hides the file it stands in",
    ],
    ["another app", { apps: { own: {} } }, "/config/apps/own", "no option for the app"],
    [
      "a group of another name",
      server({ routes: [{ group: "x", handle: [{ handler: "rewrite", uri: "/a" }] }] }),
      `${at}/routes/0/group`,
      "groups are called group0",
    ],
    [
      "a duration as text",
      { apps: { http: { grace_period: "5s" } } },
      "/config/apps/http/grace_period",
      "a number is expected",
    ],
  ])("%s", async (_name, config, path, reason) => {
    const error = await refusal(config);
    expect(error.code).toBe("CONFIG_INEXPRESSIBLE");
    expect(error.path).toBe(path);
    expect(error.message).toContain(path);
    expect(error.message).toContain(reason);
  });
});

test("a config from another file says under which name it is the same", async () => {
  const text = ":80 {\n\tfile_server\n}\n";
  const config = adapted(text, "/etc/web/Serverfile");
  const written = await toServerfile(config);
  expect(written).toBe(`# The config hides its file: save this as /etc/web/Serverfile\n${text}`);
  expect(adapted(written, "/etc/web/Serverfile")).toEqual(config);
});

describe("a config that no other text is found for", () => {
  // Only a host without a port in a list shows that the port is the usual one.
  const text = "{\n\thttps_port 0\n}\n\nc.example.com {\n\tlog\n}\n\n[::1] {\n}\n";
  const config = adapted(text);

  test("is given as the text that it came from, formatted", async () => {
    const known = [
      { text: "broken {" },
      { text: ":80\n" },
      { text: `# mine\n${text.replaceAll("\t", "  ")}` },
    ];
    const written = await toServerfile(config, known);
    expect(written).toBe(formatServerfile(`# mine\n${text}`));
    expect(adapted(written)).toEqual(config);
  });

  test("is refused where all known texts are of others", async () => {
    await expect(toServerfile(config, [{ text: ":80\n" }])).rejects.toMatchObject({
      code: "CONFIG_INEXPRESSIBLE",
      message: expect.stringMatching(
        /^no serverfile was found that gives this config: the nearest differs at /,
      ),
    });
  });

  test("lets other work have its turn meanwhile", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await expect(toServerfile(config)).rejects.toThrow("no serverfile was found");
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });
});
