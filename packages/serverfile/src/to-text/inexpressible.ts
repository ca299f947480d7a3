import { ServerError } from "server-core/errors";

/**
 * A part of the config without a text form. The admin API returns path and reason, so that the user can change this
 * part.
 * @param path path in the document, `/config/apps/…`
 * @param reason the reason why no text exists for this part
 */
export function inexpressible(path: string, reason: string): ServerError {
  return new ServerError("CONFIG_INEXPRESSIBLE", `no serverfile says ${path}: ${reason}`, { path });
}

/**
 * The error for a config whose parts all have a text form, although no tried text adapts to exactly this config.
 * @param nearest first difference of the closest text, or the reason why no text could be written
 */
export function notFound(path: string, nearest: string): ServerError {
  const message = `no serverfile was found that gives this config: ${nearest}`;
  return new ServerError("CONFIG_INEXPRESSIBLE", message, { path });
}
