/** Name of this server in `Server`, `Via` and for other programs. */
export const serverProduct = "server";
