import { layer4Modules } from "layer4/layer4-modules";
import { type ListedModule, listed } from "server-core/modules/module";
import { ModuleRegistry } from "server-core/modules/module-registry";
import { standardModules } from "server-modules/standard";
import { identityApp } from "./admin/identity/identity-app.ts";

/** The modules that this process adds to the standard ones. */
const ownModules: readonly ListedModule[] = [listed("admin.identity.app", () => identityApp)];

/** Imports of a user's own modules, by name, with the server's own objects. */
const moduleApi = {
  name: "admin-server/module",
  url: new URL("./module-api.ts", import.meta.url).href,
};

/** Every module of the server, for one of its threads. */
export function allModules(): ModuleRegistry {
  return new ModuleRegistry([...standardModules, ...layer4Modules, ...ownModules], moduleApi);
}
