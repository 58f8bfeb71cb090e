/** Light or dark: as the system has it, or as somebody chose. */
import { computed, effect, signal } from '@preact/signals';
import { keptForAll } from './kept';

/** What somebody chose. */
export type Choice = 'system' | 'light' | 'dark';

/** The choice. */
export const choice = keptForAll<Choice>('theme', 'system');

const query = window.matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(query.matches);
query.addEventListener('change', (event) => {
  systemIsDark.value = event.matches;
});

/** Whether the page is dark now. */
export const isDark = computed(() => (choice.value === 'system' ? systemIsDark.value : choice.value === 'dark'));

effect(() => {
  document.documentElement.dataset.theme = isDark.value ? 'dark' : 'light';
});

/** A colour of the page as it is now, for what is drawn and not styled. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
