import { posix } from "node:path";
import type { RequestHandler } from "express";

/** `//`, `/./` or `/../`, also at the end. */
const untidy = /\/\/|\/\.\.?(?:\/|$)/;

/**
 * Redirects an address with double slashes or dots to the tidy path. Such addresses come from a base that
 * ends with a slash, joined to a path that begins with one. The public model redirects too.
 */
export const tidyPath: RequestHandler = (request, response, next) => {
  const { url } = request;
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  if (!untidy.test(path) || !path.startsWith("/")) {
    next();
    return;
  }
  // Exactly one slash in front: two would make it the address of another host.
  const tidied = posix.normalize(path).replace(/^[/\\]+/, "/");
  response.vary("Accept-Encoding");
  response.status(301).setHeader("Location", tidied + (mark === -1 ? "" : url.slice(mark)));
  response.end();
};
