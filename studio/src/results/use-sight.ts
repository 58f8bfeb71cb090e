/** Which rows of a scrolled element are in sight, as it is scrolled and resized. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { inSight, type Sight } from './virtual';

/** The element to scroll, and the rows that are in sight in it. */
export function useSight(rows: number, size: number, head = 0) {
  const scroller = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ top: 0, view: 400 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const look = () => setPlace({ top: element.scrollTop, view: Math.max(1, element.clientHeight - head) });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [head]);
  const sight: Sight = inSight(rows, size, place.top, place.view);
  return { scroller, sight, view: place.view };
}
