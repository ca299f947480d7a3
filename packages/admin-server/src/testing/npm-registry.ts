import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";

/** A published version. */
interface Version {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly tarball: Buffer;
  /** SHA-512 of the tarball as it was published. */
  readonly integrity: string;
}

/** For tests: an npm registry on a port of its own. Source: npm's registry API, packuments and tarballs */
export class NpmRegistry {
  readonly #server: Server;
  /** Versions by package, oldest first. */
  readonly #packages = new Map<string, Map<string, Version>>();
  /** Packages whose tarballs are sent with a changed byte. */
  readonly tampered = new Set<string>();
  /** Paths that were asked for, oldest first. */
  readonly asked: string[] = [];
  #port = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      const path = decodeURIComponent((request.url ?? "").split("?")[0] ?? "");
      this.asked.push(path);
      this.#answer(path, response);
    });
  }

  static async start(): Promise<NpmRegistry> {
    const registry = new NpmRegistry();
    registry.#server.listen(0, "127.0.0.1");
    await once(registry.#server, "listening");
    registry.#port = (registry.#server.address() as AddressInfo).port;
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Publishes the files of a folder; `node_modules` stays behind. */
  async publish(folder: string): Promise<void> {
    const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
      readonly name: string;
      readonly version: string;
    };
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name))
      .filter((path) => !relative(folder, path).includes("node_modules"));
    const tar = await packTar(
      await Promise.all(
        files.map(async (path) => {
          const body = await readFile(path);
          return { header: { name: `package/${relative(folder, path)}`, size: body.length }, body };
        }),
      ),
    );
    const tarball = gzipSync(tar);
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const versions = this.#packages.get(manifest.name) ?? new Map<string, Version>();
    this.#packages.set(manifest.name, versions);
    versions.set(manifest.version, { manifest: { ...manifest }, tarball, integrity });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(path: string, response: ServerResponse): void {
    const [, name = "", version] = /^\/((?:@[^/]+\/)?[^/]+)(?:\/-\/(.+)\.tgz)?$/.exec(path) ?? [];
    const versions = this.#packages.get(name);
    if (versions === undefined) {
      response.writeHead(404).end("{}");
    } else if (version === undefined) {
      const all = [...versions].map(([each, { manifest, integrity }]) => [
        each,
        { ...manifest, dist: { integrity, tarball: `${this.url}${name}/-/${each}.tgz` } },
      ]);
      const latest = [...versions.keys()].at(-1);
      response
        .writeHead(200, { "Content-Type": "application/json" })
        .end(JSON.stringify({ name, "dist-tags": { latest }, versions: Object.fromEntries(all) }));
    } else {
      const sent = Buffer.from(versions.get(version)?.tarball ?? "");
      if (this.tampered.has(name)) {
        sent[sent.length - 9] = (sent.at(-9) ?? 0) ^ 1;
      }
      response.writeHead(200, { "Content-Type": "application/octet-stream" }).end(sent);
    }
  }
}
