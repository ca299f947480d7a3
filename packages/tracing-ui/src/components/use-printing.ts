import { useEffect, useState } from "react";
import { flushSync } from "react-dom";

/**
 * True while the browser prints. Elements that depend on it are in the page before the browser lays out the paper,
 * and go when the print dialog closes.
 */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const before = () => flushSync(() => setPrinting(true));
    const after = () => setPrinting(false);
    window.addEventListener("beforeprint", before);
    window.addEventListener("afterprint", after);
    return () => {
      window.removeEventListener("beforeprint", before);
      window.removeEventListener("afterprint", after);
    };
  }, []);
  return printing;
}
