// For tests: what modules of a user's own import, in place of what a program gives them.
export { z } from "zod";
export { defineModule } from "../modules/module.ts";
