import { type PlotOptions, plot } from '@observablehq/plot';
import { useEffect } from 'preact/hooks';
import { useWidth } from './parts.tsx';

interface FigureProps {
  /** What the picture says, for whoever does not see it. */
  readonly label: string;
  readonly height: number;
  readonly options: (width: number) => PlotOptions;
  readonly keys: readonly unknown[];
  readonly onPick?: (x: number) => void;
}

/** A picture by Observable Plot, drawn anew when its data or the room for it changes. Its place is there before it is. */
export function Figure({ label, height, options, keys, onPick }: FigureProps) {
  const [box, width] = useWidth();
  useEffect(() => {
    if (box.current === null || width === 0) return;
    const picture = plot({
      className: 'plot',
      ariaLabel: label,
      width,
      height,
      marginLeft: 36,
      marginRight: 8,
      marginTop: 8,
      marginBottom: 22,
      style: { background: 'transparent', color: 'inherit', fontSize: '11px' },
      ...options(width),
    });
    // The picture as a whole has a label; its parts are none to whoever does not see it.
    picture.setAttribute('role', 'img');
    for (const part of picture.querySelectorAll('[aria-label]')) part.removeAttribute('aria-label');
    const scale = picture.scale('x');
    const pick = (event: Event) => {
      const [x] = [(event as PointerEvent).offsetX];
      const value = scale?.invert?.(x);
      if (value !== undefined) onPick?.(Number(value));
    };
    if (onPick !== undefined) picture.addEventListener('click', pick);
    box.current.replaceChildren(picture);
    return () => picture.remove();
  }, [width, height, ...keys]);
  return (
    <div ref={box} class={onPick === undefined ? 'figure' : 'figure pickable'} style={{ height: `${height}px` }} />
  );
}
