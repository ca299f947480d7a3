import { type ListedModule, listed } from "server-core/modules/module";
import { fileSystemStorage } from "./file-system.ts";

/** Where certificates and keys may rest. They are known without all that else there is: commands open them alone. */
export const storageModules: readonly ListedModule[] = [
  listed("storage.file_system", () => fileSystemStorage),
];
