/** The pages, in the order of the bar and of the keys 1 to 9. A tenth page would have no key. */
export const pages = [
  { path: "/", name: "Overview" },
  { path: "/config", name: "Config" },
  { path: "/import", name: "Import" },
  { path: "/routes", name: "Routes" },
  { path: "/listeners", name: "Listeners" },
  { path: "/upstreams", name: "Upstreams" },
  { path: "/certificates", name: "Certificates" },
  { path: "/history", name: "History" },
  { path: "/try", name: "Try a request" },
] as const;
