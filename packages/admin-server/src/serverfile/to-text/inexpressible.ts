import { ServerError } from "../../core/errors.ts";

/** A part of the config that no serverfile comes to. @param path in the document, `/config/apps/…` @param reason why */
export function inexpressible(path: string, reason: string): ServerError {
  return new ServerError("CONFIG_INEXPRESSIBLE", `no serverfile says ${path}: ${reason}`, { path });
}
