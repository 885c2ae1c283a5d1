create table artists(artist_id integer primary key, artist_first_name text, artist_last_name text, country text, age int);
create table files(file_id integer primary key, file_name text, file_format text, size int);
create table songs(song_id integer primary key, title text, artist_id int, file_id int, language text, rating int, duration int);
create table plays(play_id integer primary key, song_id int, listener text);
insert into artists values(1,'Ada','Quill','Norway',30),(2,'Bo','Marsh','Peru',40),(3,'Cy','Roth','Norway',50);
insert into files values(1,'a1','mp3',300),(2,'a2','mp4',500),(3,'a3','mp3',900);
insert into songs values(1,'Rain',1,1,'English',8,200),(2,'Snow',1,2,'Bangla',5,300),(3,'Hail',2,3,'English',9,100);
insert into plays values(1,1,'Kim'),(2,1,'Lee'),(3,2,'Kim'),(4,3,'A Friend of the Hall');
