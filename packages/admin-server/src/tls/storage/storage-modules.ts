import { type ListedModule, listed } from "../../core/modules/module.ts";
import { fileSystemStorage } from "./file-system.ts";

/** Where certificates and keys may rest. They are known without all that else there is: commands open them alone. */
export const storageModules: readonly ListedModule[] = [
  listed("storage.file_system", () => fileSystemStorage),
];
