/** Images at a message: what is pasted, dropped or chosen, made as small as models look at them. */
import { html, nothing, type TemplateResult } from 'lit';
import {
  IMAGE_FILE_BYTES,
  IMAGE_JPEG_QUALITY,
  IMAGE_MOST_PX,
  IMAGE_SENT_BYTES,
  IMAGES_A_MESSAGE,
} from '../../limits.ts';
import { iconButton } from './element.ts';
import type { View } from './view.ts';

/** What every model server takes as it is. */
const plain: ReadonlySet<string> = new Set(['image/png', 'image/jpeg']);

export interface Taken {
  /** `data:` URLs, those that were there and the new ones. */
  readonly images: readonly string[];
  /** Why some were left out, in our words. */
  readonly problems: readonly string[];
}

/** Adds images to those that are there; what is no image is not looked at. */
export async function withFiles(
  view: View,
  there: readonly string[],
  files: readonly File[],
): Promise<Taken> {
  const { words } = view;
  const images = [...there];
  const problems: string[] = [];
  for (const file of files.filter(({ type }) => type.startsWith('image/'))) {
    if (images.length >= IMAGES_A_MESSAGE) {
      problems.push(words.say('imageTooMany', IMAGES_A_MESSAGE));
      break;
    }
    if (file.size > IMAGE_FILE_BYTES) {
      problems.push(words.say('imageTooLarge', IMAGE_FILE_BYTES / 1024 / 1024));
      continue;
    }
    try {
      images.push(await urlOf(file));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      problems.push(words.say('imageUnreadable', why));
    }
  }
  return { images, problems };
}

async function urlOf(file: File): Promise<string> {
  const bitmap = await createImageBitmap(file);
  try {
    const scale = Math.min(1, IMAGE_MOST_PX / Math.max(bitmap.width, bitmap.height));
    if (scale === 1 && plain.has(file.type) && file.size <= IMAGE_SENT_BYTES)
      return await read(file);
    const canvas = new OffscreenCanvas(
      Math.max(1, Math.round(bitmap.width * scale)),
      Math.max(1, Math.round(bitmap.height * scale)),
    );
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('no canvas');
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    const whole = await canvas.convertToBlob({ type: 'image/png' });
    return await read(
      whole.size <= IMAGE_SENT_BYTES
        ? whole
        : await canvas.convertToBlob({ type: 'image/jpeg', quality: IMAGE_JPEG_QUALITY }),
    );
  } finally {
    bitmap.close();
  }
}

function read(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result)));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('unreadable')));
    reader.readAsDataURL(blob);
  });
}

/** Small pictures in a row; with `remove` each has a button. Only `data:` URLs of images are drawn. */
export function drawImages(
  view: View,
  images: readonly string[],
  remove: ((index: number) => void) | null,
): unknown {
  const { words } = view;
  const shown = images.map((url, index) => ({ url, index })).filter(({ url }) => isImage(url));
  if (shown.length === 0) return nothing;
  return html`<div class="thumbs">
    ${shown.map(
      ({ url, index }): TemplateResult =>
        html`<span class="thumb"
          ><img src=${url} alt=${words.say('imageNumber', index + 1)} />${
            remove === null
              ? nothing
              : iconButton('close', words.say('removeImage', index + 1), () => remove(index))
          }</span
        >`,
    )}
  </div>`;
}

function isImage(url: string): boolean {
  return /^data:image\/(?:png|jpeg|gif|webp);base64,/.test(url);
}
