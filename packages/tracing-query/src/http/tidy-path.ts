import { posix } from "node:path";
import type { RequestHandler } from "express";

/** `//`, `/./` or `/../`, also at the end. */
const untidy = /\/\/|\/\.\.?(?:\/|$)/;

/**
 * Sends clients whose address has a slash too many, or dots, to the path without: whoever joins a base that ends with a slash and
 * a path that begins with one gets there, as with the public model.
 */
export const tidyPath: RequestHandler = (request, response, next) => {
  const { url } = request;
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  if (!untidy.test(path) || !path.startsWith("/")) {
    next();
    return;
  }
  // One slash in front, whatever was there: never the address of another host.
  const tidied = posix.normalize(path).replace(/^[/\\]+/, "/");
  response.vary("Accept-Encoding");
  response.status(301).setHeader("Location", tidied + (mark === -1 ? "" : url.slice(mark)));
  response.end();
};
