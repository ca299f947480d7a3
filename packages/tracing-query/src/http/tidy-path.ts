import { posix } from "node:path";
import type { RequestHandler } from "express";

/** Matches `//`, `/./` or `/../`, also at the end. */
const untidy = /\/\/|\/\.\.?(?:\/|$)/;

/**
 * Redirects a URL with double slashes or dots to the clean path. Such URLs come from a base with a final slash, joined
 * to a path with a leading one. Jaeger redirects too.
 */
export const tidyPath: RequestHandler = (request, response, next) => {
  const { url } = request;
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  if (!untidy.test(path) || !path.startsWith("/")) {
    next();
    return;
  }
  // Exactly one leading slash: two would start the name of another host.
  const tidied = posix.normalize(path).replace(/^[/\\]+/, "/");
  response.vary("Accept-Encoding");
  response.status(301).setHeader("Location", tidied + (mark === -1 ? "" : url.slice(mark)));
  response.end();
};
