/**
 * The imports of module authors from `admin-server/module`, an older name of `server-module-api`. Inside a running
 * server both give the server's own copies. See docs/admin-api.md, "Modules of your own", for the interface.
 */

export * from "server-module-api";
