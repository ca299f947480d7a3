import { join } from "node:path";
import compression from "compression";
import express, { Router } from "express";
import type { Logger } from "lifecycle";
import { pageBase } from "./page-base.ts";
import type { UiPage } from "./ui-page.ts";

/** The name contains a hash of the content, so a file with this name never changes. */
const hashedName = /[-.][A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;

export interface UiRouterSettings {
  /** The folder that contains `static`. */
  readonly folder: string;
  /** "" for the root, otherwise "/some/path". */
  readonly basePath: string;
  /** Logs each request; undefined: requests are not logged. */
  readonly accessLog: Logger | undefined;
}

/** The UI: files under `/static/`, the script of facts, and its page for every other path. */
export function uiRouter(page: UiPage, { folder, basePath, accessLog }: UiRouterSettings): Router {
  const router = Router({ strict: true, caseSensitive: true });
  if (accessLog !== undefined) {
    router.use((request, _response, next) => {
      accessLog.info({ method: request.method, path: request.path }, "static asset");
      next();
    });
  }
  router.use(compression());
  router.use(
    "/static",
    express.static(join(folder, "static"), {
      index: false,
      redirect: false,
      setHeaders(response, path) {
        const lifetime = hashedName.test(path) ? "public, max-age=31536000, immutable" : "no-cache";
        response.setHeader("Cache-Control", lifetime);
      },
    }),
    (_request, response) => {
      response.status(404).type("text/plain").send("404 page not found\n");
    },
  );
  router.get("/page-facts.js", async (_request, response, next) => {
    const script = await page.readScript();
    if (script === undefined) {
      next();
      return;
    }
    response.setHeader("Cache-Control", "no-cache");
    response.type("text/javascript").send(script);
  });
  router.use(async (request, response) => {
    response.setHeader("Cache-Control", "no-cache");
    response.vary("X-Forwarded-Prefix");
    response.type("text/html").send(await page.read(pageBase(request, basePath)));
  });
  return router;
}
