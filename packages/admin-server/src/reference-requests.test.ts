// Examples of the reference that are followed by requests: a server runs the text, and must answer as the page says.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ask } from "server-core/testing/ask";
import { freePorts } from "server-core/testing/free-ports";
import { standardModules } from "server-modules/standard";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packagedModules } from "./all-modules.ts";
import { RunningServer } from "./testing/running-server.ts";
import { adaptServerfile } from "./testing/serverfile.ts";

const folder = new URL("../../../docs/reference/", import.meta.url);
const pattern = /^```(serverfile|json)\n([^`]*(?:`[^`]+`[^`]*)*)^```\n\n```sh\n(curl .*?)^```$/gms;
/** Ports that examples listen on. */
const ports = ["8080", "9001"];
/** Files below the folder that examples call /srv/www. */
const files = {
  "index.html": "home",
  "notes.txt": "notes",
  "x.secret": "secret",
  "blog/index.html": "blog",
};

const pages = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(".md")).sort();
const examples = (
  await Promise.all(
    pages.map(async (page) => {
      const markdown = await readFile(new URL(page, folder), "utf8");
      return [...markdown.matchAll(pattern)].map(([, format = "", text = "", requests = ""]) => ({
        page,
        format,
        text,
        requests,
      }));
    }),
  )
).flat();

/** Handlers whose examples are only loaded: oidc needs an identity provider. */
const withoutRequests = new Set(["oidc"]);
const headingOf = (section: string) => section.split("\n", 1).join();

/** Words of a command line; quotes keep blanks. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

/** `curl … # status, part of the answer`: a header field, or a part of its body. */
function readRequest(line: string) {
  const [, command = "", status = "", part = ""] = /^curl (.*?)\s+# (\d{3})(?:, (.*))?$/.exec(line) ?? [];
  const words = wordsOf(command);
  const headers: Record<string, string> = {};
  let method: string | undefined;
  let body: string | undefined;
  let url = "";
  while (words.length > 0) {
    const word = words.shift() ?? "";
    if (word === "-X") {
      method = words.shift();
    } else if (word === "-d") {
      body = words.shift() ?? "";
    } else if (word === "-H") {
      const [name = "", value = ""] = (words.shift() ?? "").split(/: (.*)/s);
      headers[name] = value;
    } else if (word !== "-i") {
      url = word;
    }
  }
  return {
    url,
    status,
    part,
    options: { method: method ?? (body === undefined ? "GET" : "POST"), headers, body },
  };
}

describe("the reference", () => {
  let wwwFolder: string;
  beforeAll(async () => {
    wwwFolder = await mkdtemp(join(tmpdir(), "reference-"));
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(wwwFolder, name)), { recursive: true });
      await writeFile(join(wwwFolder, name), text);
    }
  });
  afterAll(() => rm(wwwFolder, { recursive: true }));

  test("has examples with requests for every matcher", () => {
    const tried = examples.map(({ page }) => page);
    // The database of the example is the reader's; the test of this matcher makes one.
    const needsDatabase = "matchers/maxmind-geolocation.md";
    const matchers = pages.filter((page) => page.startsWith("matchers/") && page !== needsDatabase);
    expect(matchers.length).toBeGreaterThan(16);
    expect(matchers.filter((page) => !tried.includes(page))).toEqual([]);
  });

  test("has an example with requests for every handler", async () => {
    const sections = (await readFile(new URL("handler-examples.md", folder), "utf8")).split(/^## /m).slice(1);
    const tried = sections
      .filter((section) => withoutRequests.has(headingOf(section)) || section.match(pattern) !== null)
      .filter((section) => section.includes(`"handler": "${headingOf(section)}"`));
    const handlers = [...standardModules, ...packagedModules]
      .map(({ id }) => id)
      .filter((id) => id.startsWith("http.handlers."));
    expect(handlers.length).toBeGreaterThan(20);
    expect(tried.map((section) => `http.handlers.${headingOf(section)}`)).toEqual(handlers.toSorted());
    // Sections are also used in pages of other folders.
    expect(sections.filter((section) => section.includes("]("))).toEqual([]);
  });

  test.each([...withoutRequests])("%s: the configuration is a valid one", async (name) => {
    const markdown = await readFile(new URL("handler-examples.md", folder), "utf8");
    const [, text = ""] = new RegExp(`^## ${name}\n.*?^\`\`\`json\n(.*?)^\`\`\``, "ms").exec(markdown) ?? [];
    const server = await RunningServer.start();
    try {
      expect((await server.admin("POST", "/validate", JSON.parse(text))).status).toBe(200);
    } finally {
      await server.close();
    }
  });

  test.each(examples)("$page", async ({ page, format, text, requests }) => {
    const free = await freePorts(ports.length);
    const local = (words: string) =>
      ports.reduce((all, port, index) => all.replaceAll(`:${port}`, `:${free[index]}`), words);
    const placed = local(text).replaceAll("/srv/www", wwwFolder);
    const isText = format === "serverfile";
    const server = await RunningServer.start(
      isText ? adaptServerfile(Buffer.from(placed), { filename: page }).result : JSON.parse(placed),
    );
    try {
      for (const line of requests.trim().split("\n")) {
        const { url, status, part, options } = readRequest(line.replaceAll("/srv/www", wwwFolder));
        const answer = await ask(`http://${local(url).replace("localhost", "127.0.0.1")}`, {
          ...options,
          body: options.body ?? "",
        });
        const [, name, value] = /^([A-Z][\w-]+): (.*)$/.exec(part) ?? [];
        const field = name === undefined ? undefined : answer.headers[name.toLowerCase()];
        const got = `${answer.status}, ${field === undefined ? answer.text : `${name}: ${field}`}`;
        expect(got, line).toContain(value === undefined || field === undefined ? part : value);
        expect(String(answer.status), `${line}\n${got}`).toBe(status);
      }
    } finally {
      await server.close();
    }
  });
});
