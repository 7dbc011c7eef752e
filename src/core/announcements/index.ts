export type { Announcement } from './announcement.ts';
export { type Announcements, createAnnouncements } from './announcements.ts';
export {
  type AnnouncementCourier,
  type AnnouncementSender,
  createAnnouncementSender,
  type SendOutcome,
} from './send-announcements.ts';
