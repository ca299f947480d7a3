import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { freeAddresses } from "lifecycle/testing";
import { sendAdminRequest } from "../admin-api/comparison/admin-request.ts";
import { AdminServerProcess } from "../admin-api/comparison/admin-server-process.ts";
import type { Difference } from "../tracing-api/comparison/answers.ts";
import { type SiteCase, type SiteRequest, siteFiles } from "./site-case.ts";
import { siteCases } from "./site-questions.ts";

/** Compared parts of an answer, by name. */
type Facts = Readonly<Record<string, string>>;

/** Fields that belong to the connection, or that differ between any two servers. */
const ignored = new Set(["date", "server", "via", "connection", "keep-alive", "transfer-encoding"]);

async function makeFiles(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "site-comparison-"));
  for (const [name, text] of Object.entries(siteFiles)) {
    const path = join(root, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { mode: 0o644 });
    await utimes(path, 1_700_000_000, 1_700_000_000);
  }
  for (const folder of ["folder", "list/sub", "list"]) {
    await utimes(join(root, folder), 1_700_000_000, 1_700_000_000);
  }
  return root;
}

const hostOf = (index: number) => `case${index}.test`;

/** All cases as one server, with a separate host for each case. */
function configFor(listen: string, root: string, cases: readonly SiteCase[]): string {
  const routes = cases.map((each, index) => ({
    match: [{ host: [hostOf(index)] }],
    handle: [{ handler: "subroute", routes: each.routes }],
    terminal: true,
  }));
  const server = { listen: [listen], routes, automatic_https: { disable: true } };
  return JSON.stringify({ apps: { http: { servers: { s: server } } } }).replaceAll("ROOT", root);
}

async function load(server: AdminServerProcess, config: string): Promise<void> {
  const { status, body } = await sendAdminRequest(server.port, {
    method: "POST",
    target: "/load",
    headers: { "Content-Type": "application/json" },
    body: config,
  });
  if (status !== 200) {
    throw new Error(`the sites do not load: ${status} ${body}`);
  }
}

function decode(body: Buffer, coding: string): string {
  switch (body.length === 0 ? "" : coding) {
    case "gzip":
      return gunzipSync(body).toString();
    case "zstd":
      return zstdDecompressSync(body).toString();
    default:
      return body.toString();
  }
}

function ask(address: string, host: string, question: SiteRequest): Promise<Facts> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: "127.0.0.1",
        port: Number(address.split(":").at(-1)),
        method: question.method ?? "GET",
        path: question.target,
        headers: { Host: host, ...question.headers },
        agent: false,
      },
      (response) => {
        buffer(response).then((body) => {
          const coding = String(response.headers["content-encoding"] ?? "");
          const type = String(response.headers["content-type"] ?? "");
          const boundary = /boundary=(\w+)/.exec(type)?.[1] ?? "\0";
          const plain = (text: string) => text.replaceAll(boundary, "BOUNDARY");
          const facts: Record<string, string> = {
            status: String(response.statusCode),
            body: plain(decode(body, coding)),
          };
          for (const [name, value] of Object.entries(response.headers)) {
            // Two compressors produce different lengths, and so do two boundaries.
            const varies = name === "content-length" && (coding !== "" || boundary !== "\0");
            if (!ignored.has(name) && !varies) {
              facts[name] = plain(String(value));
            }
          }
          resolve(facts);
        }, reject);
      },
    );
    // A handler that panics cuts the connection: this also counts as an answer.
    request.on("error", () => resolve({ status: "none" }));
    request.end(question.body);
  });
}

function differencesOf(question: string, theirs: Facts, ours: Facts): Difference[] {
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])];
  return names
    .filter((name) => theirs[name] !== ours[name])
    .map((name) => ({
      question,
      path: name === "status" ? `status ${theirs.status}, ours ${ours.status}` : name,
      theirs: theirs[name],
      ours: ours[name],
    }));
}

function nameOf(site: string, { method = "GET", target, headers = {} }: SiteRequest): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${site}: ${method} ${target}`, ...fields].join(", ");
}

export interface SiteComparison {
  /** Number of requests that were sent to both servers. */
  readonly asked: number;
  readonly differences: readonly Difference[];
}

/**
 * Serves the same sites with the public model and with our server, and sends the same requests to both.
 * @param program of the public model
 * @param cases the cases of the conformance suite by default
 */
export async function compareSites(
  program: string,
  cases: readonly SiteCase[] = siteCases,
): Promise<SiteComparison> {
  const root = await makeFiles();
  const running: AdminServerProcess[] = [];
  try {
    const [theirs = "", ours = ""] = await freeAddresses(2);
    for (const [address, command] of [
      [theirs, program],
      [ours, undefined],
    ] as const) {
      const server = await AdminServerProcess.start(command);
      running.push(server);
      await load(server, configFor(address, root, cases));
    }
    const differences: Difference[] = [];
    let asked = 0;
    for (const [index, site] of cases.entries()) {
      for (const each of site.requests) {
        const request = typeof each === "string" ? { target: each } : each;
        const [their, our] = [
          await ask(theirs, hostOf(index), request),
          await ask(ours, hostOf(index), request),
        ];
        asked++;
        differences.push(...differencesOf(nameOf(site.name, request), their, our));
      }
    }
    return { asked, differences };
  } finally {
    await Promise.all(running.map((server) => server.close()));
    await rm(root, { recursive: true, force: true });
  }
}
