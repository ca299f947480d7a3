/** Name of this server in `Server`, `Via` and what programs are told. */
export const serverProduct = "server";
