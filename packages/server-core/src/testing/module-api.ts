// For tests: the package that user modules import, instead of the program's.
export { z } from "zod";
export { defineModule } from "../modules/module.ts";
