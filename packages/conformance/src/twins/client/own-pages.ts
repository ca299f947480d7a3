const listing = /^\s*<!DOCTYPE html>.*color-scheme.*<a href="\?sort=/is;
const metrics = /^# HELP /;

/** The compared form of a page that each server writes differently; undefined for other bodies. */
export function ownPage(body: string): string | undefined {
  if (metrics.test(body)) {
    return "PAGE OF METRICS";
  }
  if (!listing.test(body)) {
    return undefined;
  }
  const links = [...body.matchAll(/href="\.\/([^"]+)"/g)].map(([, link = ""]) =>
    link
      .replace(/&(amp|#38);/g, "&")
      .replace(/&(#34|quot);/g, '"')
      // The folders in which the servers store their own files have different names.
      .replace(/^caddy\/$/, "server/"),
  );
  return `LISTING ${links.join(" ")}`;
}
