import { packagedModules } from "../all-modules.ts";

/** Identifiers of the modules that are packages of their own, for tests of packages below. */
export const packagedIds: readonly string[] = packagedModules.map(({ id }) => id);
