import { layer4Modules } from "layer4/layer4-modules";
import { crowdsecModules } from "module-crowdsec/crowdsec-modules";
import { geolocationModules } from "module-geolocation/geolocation-modules";
import { signatureModules } from "module-signatures/signature-modules";
import { type ListedModule, listed } from "server-core/modules/module";
import { ModuleRegistry } from "server-core/modules/module-registry";
import { packageFolder } from "server-core/user-modules/package-folder";
import { standardModules } from "server-modules/standard";
import { identityApp } from "./admin/identity/identity-app.ts";

/** Modules in separate packages: a user can install a newer version with `server add-package`. */
export const packagedModules: readonly ListedModule[] = [
  ...crowdsecModules,
  ...geolocationModules,
  ...signatureModules,
];

/** The modules that this process adds to the standard modules. */
const ownModules: readonly ListedModule[] = [listed("admin.identity.app", () => identityApp)];

/**
 * Names that user modules import, and the file with the server's own objects for them. Without this entry, Node would
 * load a second copy of each class, so that `instanceof` would fail.
 */
const moduleApi = {
  names: ["server-module-api", "admin-server/module"],
  url: new URL("./module-api.ts", import.meta.url).href,
  packageFolders: [packageFolder(process.env)],
};

/**
 * Creates a registry with every module of the server. Each thread has its own registry. A listed module is imported
 * only when a config first names it.
 */
export function allModules(): ModuleRegistry {
  return new ModuleRegistry(
    [...standardModules, ...layer4Modules, ...packagedModules, ...ownModules],
    moduleApi,
  );
}
