import { ServerError } from "server-core/errors";

/**
 * A part of the config that no line says.
 * The admin API answers with path and reason, so that the user can mend the one part.
 * @param path in the document, `/config/apps/…`
 * @param reason why
 */
export function inexpressible(path: string, reason: string): ServerError {
  return new ServerError("CONFIG_INEXPRESSIBLE", `no serverfile says ${path}: ${reason}`, { path });
}

/**
 * A config that each part of can be said, but none of the texts that were tried comes to it.
 * @param nearest where the text that came nearest differs, or why it is none
 */
export function notFound(path: string, nearest: string): ServerError {
  const message = `no serverfile was found that gives this config: ${nearest}`;
  return new ServerError("CONFIG_INEXPRESSIBLE", message, { path });
}
