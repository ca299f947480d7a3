import { ServerError } from "server-core/errors";

/**
 * A part of the config without a text form.
 * The admin API answers with path and reason, so that the user can change this part.
 * @param path path in the document, `/config/apps/…`
 * @param reason reason why there is no text form
 */
export function inexpressible(path: string, reason: string): ServerError {
  return new ServerError("CONFIG_INEXPRESSIBLE", `no serverfile says ${path}: ${reason}`, { path });
}

/**
 * The error for a config whose parts all have text, but no tried text adapts to it.
 * @param nearest first difference of the closest text, or the reason why there is no text
 */
export function notFound(path: string, nearest: string): ServerError {
  const message = `no serverfile was found that gives this config: ${nearest}`;
  return new ServerError("CONFIG_INEXPRESSIBLE", message, { path });
}
