const listing = /^\s*<!DOCTYPE html>.*color-scheme.*<a href="\?sort=/is;
const metrics = /^# HELP /;

/** What of a page that each server makes in its own way is compared; undefined for any other body. */
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
      // Where the servers keep their own files.
      .replace(/^caddy\/$/, "server/"),
  );
  return `LISTING ${links.join(" ")}`;
}
