import { type RefObject, useLayoutEffect, useState } from "react";

/**
 * The element's inner size in CSS pixels; 0 by 0 before the first layout. An observer watches the element
 * until the component is removed. The component renders again only when the size changes.
 */
export function useElementSize(element: RefObject<HTMLElement | null>): { width: number; height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const target = element.current;
    if (target === null) {
      return;
    }
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = target;
      setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
