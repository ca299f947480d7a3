import { type AdminReply, type AdminRequest, notFoundReply } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import type { ConfigEngine } from "server-core/engine/config-engine";
import { ServerError } from "server-core/errors";
import { isJsonObject, type JsonValue, member } from "server-core/json/json-value";
import { type ConsoleFile, ConsoleFiles } from "./console-files.ts";

/** A file name with a hash of the content: the content of such a file never changes. */
const hashedName = /-[\w-]{8}\.[a-z]+$/;

/**
 * Prevents other pages from framing this page or keeping a reference to it. A policy inside the page lists the scripts
 * that may run.
 */
const guardHeaders = {
  "Content-Security-Policy": "frame-ancestors 'none'",
  "X-Frame-Options": "DENY",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** True when the config says `"ui": false`. */
function isOff(config: JsonValue): boolean {
  const admin = isJsonObject(config) ? member(config, "admin") : undefined;
  return isJsonObject(admin) && member(admin, "ui") === false;
}

/** Sends a file, compressed if the client accepts gzip. */
function send(file: ConsoleFile, request: AdminRequest, cacheControl: string): AdminReply {
  const compressed = /\bgzip\b/.test(request.header("accept-encoding"));
  return {
    status: 200,
    headers: {
      "Content-Type": file.type,
      "Cache-Control": cacheControl,
      Vary: "Accept-Encoding",
      ...(compressed && { "Content-Encoding": "gzip" }),
    },
    body: compressed ? file.gzipped : file.bytes,
  };
}

/** The response when the folder has no page, as in a checkout without a build. */
const notBuilt: AdminReply = {
  status: 404,
  headers: { "Content-Type": "text/plain; charset=utf-8" },
  body: "The console is not built: pnpm --filter admin-ui build\n",
};

/**
 * `/ui/`: the console, a browser app that uses this API. The route sends the console's files; for every other path
 * below it sends the page.
 * @param folder folder of the built app
 */
export function consoleRoute(engine: ConfigEngine, folder: string): AdminRoute {
  const files = new ConsoleFiles(folder);
  return {
    path: "/ui/",
    headers: guardHeaders,
    async handle(request) {
      if (isOff(engine.config)) {
        return notFoundReply;
      }
      if (request.method !== "GET" && request.method !== "HEAD") {
        throw new ServerError("ADMIN_METHOD", "method not allowed");
      }
      const asset = /^\/ui\/static\/(.*)$/s.exec(request.path)?.[1];
      if (asset === undefined) {
        const page = await files.page();
        return page === undefined ? notBuilt : send(page, request, "no-cache");
      }
      const file = await files.asset(asset);
      const lifetime = hashedName.test(asset) ? "public, max-age=31536000, immutable" : "no-cache";
      return file === undefined ? notFoundReply : send(file, request, lifetime);
    },
  };
}
